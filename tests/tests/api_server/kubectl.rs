//! Commands of kubectl on the server in the process and on the real one: output, errors and exit codes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crdkit_api_server::{ApiServer, ServerHandle};
use crdkit_tests::{ControlPlane, find_kubectl};
use tokio::{io::AsyncWriteExt as _, process::Command};

use self::normalize::normalize;
use crate::example;

mod builtin;
mod machines;
mod normalize;

/// Both servers, each with a kubeconfig and a folder for kubectl's cache.
struct Both {
    sides: [Side; 2],
    differences: Vec<String>,
    _handle: ServerHandle,
}

struct Side {
    kubectl: PathBuf,
    home: tempfile::TempDir,
    namespace: String,
}

impl Both {
    /// Returns both servers, with a namespace; `None` if there is no real one or no kubectl.
    async fn with_namespace(namespace: &str) -> Option<Self> {
        let plane = ControlPlane::shared()?;
        let kubectl = find_kubectl()?;
        example::both(&format!("{namespace}-definitions")).await?;
        let server = ApiServer::new();
        let handle = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
        let kubeconfigs = [handle.kubeconfig(), fs::read_to_string(plane.kubeconfig()).unwrap()];
        // With another cache, since kubectl keeps what it has discovered.
        let setup = Side::new(&kubectl, &kubeconfigs[0], namespace);
        for definition in example::definition_files() {
            let created = setup.run(&["create", "-f", definition.to_str().unwrap()], "").await;
            assert!(created.contains("created"), "{created}");
        }
        let sides = kubeconfigs.map(|kubeconfig| Side::new(&kubectl, &kubeconfig, namespace));
        for side in &sides {
            let created = side.run(&["create", "-f", "-"], &namespace_object(namespace)).await;
            assert!(created.contains("created"), "{created}");
        }
        Some(Self { sides, differences: Vec::new(), _handle: handle })
    }

    /// Runs a command on both servers, with words that spaces separate.
    async fn run(&mut self, command: &str) {
        self.run_with(command, "").await;
    }

    /// Runs a command on both servers, with a standard input.
    async fn run_with(&mut self, command: &str, input: &str) {
        self.compare(command, input, |_| true).await;
    }

    /// Runs a command on both servers, and compares some of the lines.
    async fn run_selecting(&mut self, command: &str, is_compared: fn(&str) -> bool) {
        self.compare(command, "", is_compared).await;
    }

    async fn compare(&mut self, command: &str, input: &str, is_compared: fn(&str) -> bool) {
        let owned: Vec<_> = command.split(' ').map(|word| word.replace('_', " ")).collect();
        let words: Vec<_> = owned.iter().map(String::as_str).collect();
        let [ours, theirs] = &self.sides;
        let (ours, theirs) = tokio::join!(ours.run(&words, input), theirs.run(&words, input));
        let select = |text: String| text.lines().filter(|line| is_compared(line)).map(|it| format!("{it}\n")).collect();
        let [ours, theirs]: [String; 2] = [ours, theirs].map(select);
        if ours != theirs {
            self.differences.push(format!("$ kubectl {command}\n--- in the process\n{ours}--- real\n{theirs}"));
        }
    }

    /// Fails if the output of a command was not the same.
    fn finish(self) {
        let count = self.differences.len();
        assert!(count == 0, "{count} commands differ\n{}", self.differences.join("\n"));
    }
}

impl Side {
    fn new(kubectl: &Path, kubeconfig: &str, namespace: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("kubeconfig"), kubeconfig).unwrap();
        Self { kubectl: kubectl.to_owned(), home, namespace: namespace.to_owned() }
    }

    /// Runs kubectl and returns its exit code, what it printed and its errors, without what differs between servers.
    async fn run(&self, arguments: &[&str], input: &str) -> String {
        let mut command = Command::new(&self.kubectl);
        let kubeconfig = self.home.path().join("kubeconfig");
        command.args(arguments).args(["--namespace", &self.namespace]).env("KUBECONFIG", kubeconfig);
        command.env("HOME", self.home.path()).env("KUBE_EDITOR", "sed -i s/alpine:3/alpine:4/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that reads no input may have ended.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let output = child.wait_with_output().await.unwrap();
        let [printed, errors] = [output.stdout, output.stderr].map(|text| normalize(&String::from_utf8(text).unwrap()));
        format!("exit code {}\n{printed}{errors}", output.status.code().unwrap_or_default())
    }
}

fn namespace_object(name: &str) -> String {
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{{\"name\":\"{name}\"}}}}")
}
