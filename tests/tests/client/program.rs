//! Commands of the program of definitions that use the cluster of the current context.

use std::{path::PathBuf, process::Stdio};

use crdkit_api_server::{ApiServer, Requests, ServerHandle};
use crdkit_tests::{Request, unique_group};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
};

use crate::server::{Server, server};

/// The kubeconfig of an API server, and what keeps it.
struct Context {
    group: String,
    kind: &'static str,
    server: Server,
    kubeconfig: PathBuf,
    _port: Option<ServerHandle>,
    folder: tempfile::TempDir,
}

impl Context {
    async fn new(kind: &'static str) -> Option<Self> {
        let (server, folder) = (server()?, tempfile::tempdir().unwrap());
        let (kubeconfig, port) = match server {
            Server::ControlPlane(plane) => (plane.kubeconfig(), None),
            Server::Process(server) => {
                let port = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
                let path = folder.path().join("kubeconfig.yaml");
                std::fs::write(&path, port.kubeconfig()).unwrap();
                (path, Some(port))
            }
        };
        Some(Self { group: unique_group(), kind, server, kubeconfig, _port: port, folder })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_definitions"));
        command.args(arguments).current_dir(&self.folder);
        command
            .env("KUBECONFIG", &self.kubeconfig)
            .envs([("CRDKIT_TEST_GROUP", &*self.group), ("CRDKIT_TEST_KIND", self.kind)]);
        command
    }

    /// Runs a command, and returns its exit code and what it prints.
    async fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().await.unwrap();
        let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), printed.replace(&self.group, "GROUP"))
    }

    async fn create(&self, plural: &str) {
        let object = json!({ "apiVersion": format!("{}/v1", self.group), "kind": self.kind, "metadata": { "name": "a" }, "spec": {} });
        let path = format!("/apis/{}/v1/namespaces/default/{plural}", self.group);
        assert!(self.server.raw(Request::post(path, object)).await.is_success());
    }
}

#[tokio::test]
async fn definitions_of_the_cluster_are_installed_compared_imported_and_removed() {
    let Some(context) = Context::new("Boat").await else {
        return;
    };
    let (code, missing) = context.run(&["diff", "cluster", "--format", "json"]).await;
    let missing: Value = serde_json::from_str(&missing).unwrap();
    assert_eq!((code, missing.to_string().contains("the definition is added")), (0, true), "{missing}");
    let (code, missing) = context.run(&["import", "cluster", &format!("boats.{}", context.group)]).await;
    assert_eq!((code, &*missing), (1, "there is no definition `boats.GROUP`\n"));

    let line = |action: &str| (0, format!("{action} CustomResourceDefinition boats.GROUP\n"));
    assert_eq!(context.run(&["install", "--dry-run"]).await, line("would apply"));
    assert_eq!(context.run(&["install"]).await, line("created"));
    assert_eq!(context.run(&["install"]).await, line("unchanged"));
    assert_eq!(context.run(&["diff", "cluster"]).await, (0, "no changes\n".to_owned()));
    let (code, imported) = context.run(&["import", "cluster", &format!("boats.{}", context.group)]).await;
    assert!(code == 0 && imported.contains("kind = \"Boat\"") && !imported.contains("warning"), "{imported}");

    context.create("boats").await;
    let (code, refused) = context.run(&["uninstall"]).await;
    assert!(code == 1 && refused.contains("there are objects of the kind Boat"), "{refused}");
    assert_eq!(context.run(&["uninstall", "--allow-data-loss"]).await, line("removed"));
}

#[tokio::test]
async fn a_refusal_quotes_what_is_refused() {
    let (server, folder) = (ApiServer::new(), tempfile::tempdir().unwrap());
    let refusal = r#"spec.names.plural: Invalid value: "boats": it is taken"#;
    server.faults().on(Requests::writes().of::<CustomResourceDefinition>()).fail_with(422, "Invalid", refusal);
    let port = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
    let kubeconfig = folder.path().join("kubeconfig.yaml");
    std::fs::write(&kubeconfig, port.kubeconfig()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_definitions"));
    command.arg("install").current_dir(&folder).env("KUBECONFIG", kubeconfig);
    let output =
        command.env("CRDKIT_TEST_GROUP", unique_group()).env("CRDKIT_TEST_KIND", "Boat").output().await.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && errors.contains(refusal), "{errors}");
}

#[tokio::test]
async fn conditions_in_the_cluster_are_followed() {
    let Some(context) = Context::new("Ship").await else {
        return;
    };
    let mut command = context.command(&["dev", "--cluster", "--watch-stdin", "--format", "json"]);
    let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut next = async || serde_json::from_str::<Value>(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(next().await["action"], "created");
    assert_eq!(next().await, json!({ "action": "ready", "kubeconfig": null }));
    context.create("ships").await;
    let changed = next().await;
    assert_eq!(
        (&changed["action"], &changed["kind"], &changed["name"]),
        (&json!("changed"), &json!("Ship"), &json!("a"))
    );
    drop(program.stdin.take());
    assert!(program.wait().await.unwrap().success());
}
