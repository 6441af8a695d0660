use crdkit::__internal::emit::style::Style;
use crdkit_api_server::ApiServer;
use k8s_openapi::{
    api::events::v1::Event, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use serde_json::json;

use super::*;
use crate::{
    Operator,
    tests::{crd, crds},
};

/// Returns the lines of the changes until there are as many as expected.
async fn lines(
    notices: &mut tokio::sync::mpsc::UnboundedReceiver<follow::Notice>,
    lines: &mut Lines,
    count: usize,
) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        all.extend(lines.describe(notices.recv().await.expect("the watches do not end")));
    }
    all
}

fn at(conditions: serde_json::Value) -> String {
    let at = json!({
        "apiVersion": "example.com/v1", "kind": "At", "metadata": { "name": "a", "namespace": "default" },
        "spec": {}, "status": { "conditions": conditions },
    });
    at.to_string()
}

/// The definition with a schema that keeps all fields.
fn open_crd() -> CustomResourceDefinition {
    let mut crd = crd("At", "ats");
    let schema = json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    crd.spec.versions[0].schema = serde_json::from_value(schema).unwrap();
    crd
}

#[tokio::test]
async fn conditions_and_events_are_printed_when_they_change() {
    let server = ApiServer::new();
    let client = server.client().field_manager("test");
    let mut notices = follow::follow(&client, Some(["example.com".to_owned()].into()));
    client.install([open_crd()]).await.unwrap();

    let mut text = Lines::new(false);
    let _ = server.clone().with_objects(&at(json!([{ "type": "Ready", "status": "False", "reason": "Starting" }])));
    let first = lines(&mut notices, &mut text, 2).await;
    assert_eq!(first, ["At default/a: added", "At default/a: Ready=False (Starting)"]);

    let event: Event = serde_json::from_value(json!({
        "metadata": { "name": "a.1" }, "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Normal", "reason": "Started",
        "note": "It runs.", "action": "Start", "reportingController": "test", "reportingInstance": "test-0",
        "regarding": { "apiVersion": "example.com/v1", "kind": "At", "namespace": "default", "name": "a" },
    }))
    .unwrap();
    client.resources::<Event>().namespace("default").create(&event).await.unwrap();
    assert_eq!(lines(&mut notices, &mut text, 1).await, ["At default/a: event Normal Started: It runs."]);

    let ats = client.dynamic().resources("at").await.unwrap().namespace("default").unwrap();
    ats.delete("a").await.unwrap();
    let deleted = lines(&mut notices, &mut Lines::new(true), 1).await;
    assert_eq!(deleted, [r#"{"action":"deleted","kind":"At","name":"a","namespace":"default"}"#]);
}

#[tokio::test]
async fn the_server_has_the_definitions_and_a_kubeconfig() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dev/kubeconfig.yaml");
    let project = Project::new(crds()).operator(Operator::new("at-operator", "at-system"));
    let server = server::Server::start(&project).await.unwrap();
    server.write_kubeconfig(&path).unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("server: http://127.0.0.1:"));

    let options = Options {
        has_admission: true,
        has_operator: false,
        allows_data_loss: false,
        is_dry_run: false,
        is_json: true,
        waits: false,
        timeout: Duration::ZERO,
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: "" };
    install_for_program(&mut program, &project, &options, &server.client()).await.unwrap();
    let expected = [
        r#"{"action":"created","kind":"CustomResourceDefinition","name":"ats.example.com"}"#,
        r#"{"action":"created","kind":"Namespace","name":"at-system"}"#,
    ];
    assert_eq!(String::from_utf8(out).unwrap().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn json_has_all_conditions() {
    let object = serde_json::from_str(&at(json!([{ "type": "Ready", "status": "True" }]))).unwrap();
    let mut lines = Lines::new(true);
    let first = lines.describe(follow::Notice::Changed(Box::new(object)));
    let line: serde_json::Value = serde_json::from_str(&first[0]).unwrap();
    let ready = json!([{ "type": "Ready", "status": "True", "reason": "", "message": "" }]);
    assert_eq!((&line["action"], &line["conditions"]), (&json!("changed"), &ready));
}
