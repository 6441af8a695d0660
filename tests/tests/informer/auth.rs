//! Credentials that are created while an informer runs.

use std::fs;

use crdkit::{
    Client,
    informer::{Executor, Informers},
};
use crdkit_tests::ControlPlane;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Config,
    config::{AuthInfo, ExecConfig},
};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    next_ones,
    served::{Machine, Sample, client_of_control_plane, namespace},
    synced,
};

/// A program that prints the token of the administrator and counts its runs.
fn plugin(dir: &TempDir, token: &str, expires: &str) -> ExecConfig {
    let (script, credential) = (dir.path().join("plugin"), dir.path().join("credential"));
    let answer = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": { "token": token, "expirationTimestamp": expires },
    });
    fs::write(&credential, answer.to_string()).unwrap();
    fs::write(&script, format!("echo >> {0}.runs\ncat {0}\n", credential.display())).unwrap();
    // A shell reads it: executed, it could be busy, because a process that another test starts may have it open for writing.
    let config = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": [script], "interactiveMode": "Never",
    });
    serde_json::from_value(config).unwrap()
}

fn runs(dir: &TempDir) -> usize {
    let runs = fs::read_to_string(dir.path().join("credential.runs"));
    runs.unwrap_or_default().lines().count()
}

/// The configuration of the administrator, whose token comes from a program.
fn config(dir: &TempDir, expires: &str) -> Config {
    let mut config = ControlPlane::shared().unwrap().config();
    let auth = serde_json::to_value(&config.auth_info).unwrap();
    let exec = plugin(dir, auth["token"].as_str().unwrap(), expires);
    config.auth_info = AuthInfo { exec: Some(exec), ..AuthInfo::default() };
    config
}

/// Checks that an informer on its own thread, or on that of the caller, gets its credentials from a program.
async fn credentials_come_from_a_program(own_thread: bool, test: &str) {
    let Some(admin) = client_of_control_plane("it authenticates by TLS and tokens").await else { return };
    let namespace = namespace(&admin, test).await;
    let dir = tempfile::tempdir().unwrap();
    let config = config(&dir, "2020-01-01T00:00:00Z");
    let client = if own_thread {
        Client::try_from(config).unwrap()
    } else {
        Client::from(kube::Client::try_from(config).unwrap())
    };
    let informer = Informers::new(client).of::<Machine>().namespace(&namespace).start();
    synced(&informer).await;
    let executor = if own_thread { Executor::SharedThreads } else { Executor::CallersRuntime };
    assert_eq!(informer.health().executor, executor);
    assert!(runs(&dir) > 0);
    let mut events = informer.subscribe();
    let machines = admin.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("a", 1)).await.unwrap();
    assert_eq!(next_ones(&mut events, 2).await, ["synced", "+a"]);
}

#[tokio::test]
async fn an_informer_with_its_own_thread_gets_credentials_from_a_program() {
    credentials_come_from_a_program(true, "informer-exec-own").await;
}

#[tokio::test]
async fn a_client_of_kube_gets_credentials_from_a_program() {
    credentials_come_from_a_program(false, "informer-exec-kube").await;
}

#[tokio::test]
async fn a_program_runs_once_for_credentials_that_do_not_expire() {
    let Some(admin) = client_of_control_plane("it authenticates by TLS and tokens").await else { return };
    let namespace = namespace(&admin, "informer-exec-once").await;
    let dir = tempfile::tempdir().unwrap();
    let client = Client::try_from(config(&dir, "2099-01-01T00:00:00Z")).unwrap();
    assert_eq!(runs(&dir), 1);
    let informers = Informers::new(client.clone());
    let machines = informers.of::<Machine>().namespace(&namespace).start();
    let configs = informers.of::<ConfigMap>().namespace(&namespace).start();
    synced(&machines).await;
    synced(&configs).await;
    client.discovery().api_resources().await.unwrap();
    client.kube().apiserver_version().await.unwrap();
    assert_eq!(runs(&dir), 1);
}
