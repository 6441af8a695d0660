//! The example `At`, from end to end.

use crdkit_tests::Request;
use example_resources::at::{At, AtPhase, AtSpec, AtStatus};
use serde_json::json;

use crate::served::{CRDS, columns, installed, served};

fn at(name: &str, command: &str) -> At {
    let schedule = "2030-01-31T12:00:00Z".to_owned();
    let command = command.to_owned();
    At::new(name, AtSpec { schedule, command })
}

#[tokio::test]
async fn its_names_are_accepted_and_discovered() {
    let Some(at) = served::<At>().await else {
        return;
    };
    let resource = at.discovery().await;
    assert_eq!(resource["singularName"], "at");
    assert_eq!(resource["namespaced"], true);
    assert_eq!(resource["kind"], "At");
    assert_eq!(resource["shortNames"], json!(["at"]));
    assert_eq!(resource["categories"], json!(["all"]));
    let list = at.send(Request::get(at.collection())).await.body;
    assert_eq!(list["kind"], "AtList");

    let name = "ats.cnat.programming-kubernetes.info";
    assert!(installed().await.unwrap().contains_key(name));
    let crd = at.send(Request::get(format!("{CRDS}/{name}"))).await.body;
    for condition in ["NamesAccepted", "Established"] {
        let conditions = crd["status"]["conditions"].as_array().unwrap();
        let found = conditions.iter().find(|c| c["type"] == condition).unwrap();
        assert_eq!(found["status"], "True", "{crd}");
    }
}

#[tokio::test]
async fn objects_are_kept() {
    let Some(served) = served::<At>().await else {
        return;
    };
    served.keeps(at("kept", "true")).await;
}

#[tokio::test]
async fn bad_objects_are_refused() {
    let Some(served) = served::<At>().await else {
        return;
    };
    let changes = [
        ("/spec/schedule", json!("tomorrow"), "spec.schedule"),
        ("/spec/schedule", json!(null), "spec.schedule"),
        ("/spec/command", json!(""), "spec.command"),
        ("/spec/command", json!(1), "spec.command"),
        ("/spec", json!(null), "spec"),
    ];
    served.refuses(&at("refused", "true"), &changes).await;
}

#[tokio::test]
async fn unknown_fields_are_pruned() {
    let Some(served) = served::<At>().await else {
        return;
    };
    let mut object = json!(at("pruned", "true"));
    object["spec"]["user"] = json!("root");

    let strict = served.create(&object).await;
    assert!(strict.message.contains(r#"unknown field "spec.user""#));

    let lenient = served.create_leniently(object).await.expect_accepted();
    assert_eq!(lenient.warnings, [r#"unknown field "spec.user""#]);
    assert!(lenient.object.unwrap()["spec"].get("user").is_none());
}

#[tokio::test]
async fn spec_and_status_are_written_apart() {
    let Some(served) = served::<At>().await else {
        return;
    };
    let phase = AtPhase::Done;
    let mut object = at("split", "true");
    object.status = Some(AtStatus { phase });
    let created = served.create(&object).await.expect_accepted().object.unwrap();
    assert!(created.get("status").is_none());
    assert_eq!(created["metadata"]["generation"], 1);

    let both = json!({ "spec": { "command": "false" }, "status": { "phase": "RUNNING" } });
    let status = served.merge("split/status", both.clone()).await.expect_accepted().object.unwrap();
    assert_eq!(status["spec"]["command"], "true");
    assert_eq!(status["status"]["phase"], "RUNNING");
    assert_eq!(status["metadata"]["generation"], 1);

    let mut spec = both;
    spec["status"]["phase"] = json!("DONE");
    let spec = served.merge("split", spec).await.expect_accepted().object.unwrap();
    assert_eq!(spec["spec"]["command"], "false");
    assert_eq!(spec["status"]["phase"], "RUNNING");
    assert_eq!(spec["metadata"]["generation"], 2);

    let bad = served.merge("split/status", json!({ "status": { "phase": "Done" } }));
    assert!(!bad.await.causes_at("status.phase").is_empty());
}

#[tokio::test]
async fn its_columns_are_printed() {
    let Some(served) = served::<At>().await else {
        return;
    };
    let created = served.create(at("printed", "echo hello")).await;
    created.expect_accepted();
    let status = json!({ "status": { "phase": "DONE" } });
    served.merge("printed/status", status).await;

    let expected =
        columns(&[("Schedule", "string", 0), ("Command", "string", 1), ("Phase", "string", 0), ("Age", "date", 0)]);
    assert_eq!(served.columns().await, expected);
    let cells = served.cells("printed").await;
    assert_eq!(cells[..3], ["2030-01-31T12:00:00Z", "echo hello", "DONE"]);
    let described = served.table().await["columnDefinitions"][2]["description"].clone();
    assert_eq!(described, "The command, run by a shell.");
}
