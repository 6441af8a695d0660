//! Waits of tests for operators.

use std::{panic::AssertUnwindSafe, sync::Arc};

use crdkit::{
    CustomResource, KubeSchema,
    controller::{Action, Context, Controller, Error, Manager, ObjectEvent, terminal},
};
use crdkit_api_server::{ApiServer, wait_until};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "waits.example.com", version = "v1", kind = "Engine", namespaced, status = "EngineStatus")]
struct EngineSpec {
    fuel: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct EngineStatus {
    starts: u32,
}

async fn reconcile(engine: Arc<Engine>, cx: Context<Engine>) -> Result<Action, Error> {
    match engine.spec.fuel.as_str() {
        "none" => return Err("there is no \"fuel\"".into()),
        "water" => return Err(terminal("water does not burn").into()),
        _ => {}
    }
    cx.event(&engine, ObjectEvent::normal("Started", "it runs"));
    cx.status(&engine).update(|status| status.starts = 1);
    Ok(Action::Done)
}

/// Creates an engine, waits until it has this number of starts, and returns the message of a panic.
async fn wait_for_starts(fuel: &str, starts: u32) -> Result<Engine, String> {
    let client = ApiServer::new().with::<Engine>().client().field_manager("test");
    let manager = tokio::spawn(Manager::new(client.clone()).add(Controller::of::<Engine>().reconcile(reconcile)).run());
    let engines = client.resources::<Engine>().namespace("default");
    engines.create(&Engine::new("v8", EngineSpec { fuel: fuel.to_owned() })).await.unwrap();
    let is_met = |engine: &Engine| engine.status.as_ref().is_some_and(|status| status.starts == starts);
    let waited = AssertUnwindSafe(wait_until(&engines, "v8", is_met)).catch_unwind().await;
    manager.abort();
    waited.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn the_object_is_returned_once_it_fulfils_the_condition() {
    assert_eq!(wait_for_starts("petrol", 1).await.unwrap().status.unwrap().starts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_has_the_object_its_events_and_the_errors_of_its_reconciliation() {
    let failure = wait_for_starts("none", 1).await.unwrap_err();
    assert!(failure.starts_with("Engine `v8` does not fulfil the condition after 30s, at "), "{failure}");
    assert!(failure.contains("waits.rs:") && failure.contains(r#""fuel": "none""#), "{failure}");
    let error = failure.lines().find(|line| line.starts_with("The reconciliation of default/v8 failed (")).unwrap();
    assert!(error.ends_with(r#" times): there is no "fuel""#), "{failure}");

    let failure = wait_for_starts("water", 1).await.unwrap_err();
    assert!(failure.ends_with("\nThe reconciliation of default/v8 failed: water does not burn"), "{failure}");

    let failure = wait_for_starts("petrol", 2).await.unwrap_err();
    assert!(failure.contains("\nEvent: Normal Started: it runs"), "{failure}");
    assert!(failure.ends_with("No reconciliation has failed in this thread"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn a_failure_without_an_object() {
    let client = ApiServer::new().with::<Engine>().client();
    let engines = client.resources::<Engine>().namespace("default");
    let waited = AssertUnwindSafe(wait_until(&engines, "v8", |_| true)).catch_unwind().await;
    let failure = waited.unwrap_err().downcast_ref::<String>().cloned().unwrap();
    assert!(failure.contains("\nIt does not exist"), "{failure}");
}
