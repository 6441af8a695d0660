//! What a stored object that a conversion webhook rejects does to the other objects of its kind, on both servers.

use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, Request, Webhook};
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    conversion::{answer, definition},
    example::get,
};

const GROUP: &str = "rejected.example.com";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn path(version: &str, name: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/rejected/timers{name}")
}

/// Creates an object in the version that is stored.
fn create(name: &str, spec: Value) -> Step {
    let object =
        json!({ "apiVersion": format!("{GROUP}/v2"), "kind": "Timer", "metadata": { "name": name }, "spec": spec });
    Step::new("POST", path("v2", ""), object)
}

/// Checks the code of both responses; the texts differ where the real server reads a collection from its storage.
async fn check_codes(both: &mut Both, step: &Step, code: i64) {
    let responses = both.respond(step).await;
    let codes = responses.each_ref().map(|response| response["code"].as_i64());
    assert_eq!(codes, [Some(code); 2], "{} {}: {responses:?}", step.method, step.path);
}

/// `convert.md` states this.
#[tokio::test]
async fn one_object_that_does_not_convert_makes_lists_fail() {
    let Some(plane) = ControlPlane::shared() else { return };
    let webhook = Webhook::start(|_, review| answer(&review)).await;
    let definition = definition(GROUP, &webhook.url("/convert"));
    let verdict = plane.install(&definition).await;
    assert!(verdict.accepted, "{verdict}");
    let server = ApiServer::new();
    let created = Request::post(DEFINITIONS, definition).send(server.kube_client()).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    let Some(mut both) = Both::with_server(&server, "rejected", &[]).await else { return };

    let _ = both.respond(&create("good", json!({ "seconds": 60 }))).await;
    let _ = both.respond(&get(path("v1", ""))).await;
    let watch = both.respond(&get(path("v1", "?watch=true&timeoutSeconds=5"))).await;
    assert!(watch.iter().all(|opened| opened["code"] == 200), "{watch:?}");
    for (step, code) in [
        (create("rejected", json!({ "seconds": 60, "mode": "failure" })), 201),
        (get(path("v1", "")), 500),
        (get(path("v1", "?limit=1")), 200),
        (get(path("v1", "/good")), 200),
        (get(path("v1", "/rejected")), 500),
        (Step::new("DELETE", path("v1", "/rejected"), Value::Null), 500),
        (Step::new("DELETE", path("v1", ""), Value::Null), 500),
        (
            Step::new("PATCH", path("v1", "/rejected"), json!({ "spec": { "minutes": 5 } }))
                .of_type("application/merge-patch+json"),
            500,
        ),
        (get(path("v2", "")), 200),
    ] {
        check_codes(&mut both, &step, code).await;
    }
    // A watch has an error in the place of the object.
    let difference = both.compare_events("none").await;
    assert!(difference.is_none(), "{}", difference.map(|it| it.to_string()).unwrap_or_default());
    for (step, code) in [(Step::new("DELETE", path("v2", "/rejected"), Value::Null), 200), (get(path("v1", "")), 200)] {
        check_codes(&mut both, &step, code).await;
    }

    // The webhook ends, and the real server is that of all tests.
    for path in [path("v2", ""), format!("{DEFINITIONS}/timers.{GROUP}")] {
        let deleted = plane.raw(Request::delete(path)).await;
        assert!(deleted.is_success(), "{}", deleted.body);
    }
}
