//! The control plane of the other tests is a real API server.

mod adoption;
mod controllers;
mod guide;
mod inventory;
mod namespaces;
mod outages;
mod roles;

use crdkit_tests::{ControlPlane, Request, unique_group};
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[tokio::test]
async fn has_the_version_it_was_built_from() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let version = plane.raw(Request::get("/version")).await.body;
    match plane.built_version() {
        Some(built) => assert_eq!(version["gitVersion"], built),
        None => assert_eq!(version["major"], "1"),
    }
}

#[tokio::test]
async fn dry_run_accepts_a_valid_crd_and_stores_nothing() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let group = unique_group();

    let verdict = plane.dry_run(&widget_crd(&group)).await.expect_accepted();

    assert_eq!(verdict.warnings, Vec::<String>::new());
    assert_eq!(verdict.object.unwrap()["spec"]["names"]["listKind"], "WidgetList");
    let stored = plane.raw(Request::get(format!("{CRDS}/widgets.{group}"))).await;
    assert_eq!(stored.status, 404);
}

#[tokio::test]
async fn dry_run_names_the_field_that_is_wrong() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };

    let verdict = plane.dry_run(&widget_crd("nodot")).await;

    assert!(!verdict.accepted);
    assert!(verdict.object.is_none());
    let [cause] = verdict.causes_at("spec.group")[..] else { panic!("{verdict}") };
    assert_eq!(cause.reason, "FieldValueInvalid");
    assert!(cause.message.contains("should be a domain with at least one dot"), "{verdict}");
}

#[tokio::test]
async fn dry_run_refuses_an_unknown_keyword() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let mut crd = widget_crd(&unique_group());
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["minSize"] = json!(1);

    let verdict = plane.dry_run(&crd).await;

    assert!(!verdict.accepted);
    assert!(verdict.message.contains("strict decoding error: unknown field"), "{verdict}");
    assert!(verdict.message.contains("openAPIV3Schema.minSize"), "{verdict}");
}

#[tokio::test]
async fn raw_reports_warnings() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let mut crd = widget_crd(&unique_group());
    crd["spec"]["colour"] = json!("red");

    let lenient = format!("{CRDS}?dryRun=All&fieldValidation=Warn");
    let answer = plane.raw(Request::post(lenient, crd)).await;

    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(answer.warnings, [r#"unknown field "spec.colour""#]);
}

#[tokio::test]
async fn installed_crd_serves_objects() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let group = unique_group();
    plane.install(&widget_crd(&group)).await.expect_accepted();
    let widgets = format!("/apis/{group}/v1/namespaces/default/widgets");

    let created = plane.raw(Request::post(&widgets, widget(&group, 3))).await;
    assert_eq!((created.status, &created.body["spec"]["size"]), (201, &json!(3)), "{}", created.body);

    let read = plane.raw(Request::get(format!("{widgets}/a"))).await;
    assert_eq!((read.status, &read.body), (200, &created.body));

    let patch = json!({ "spec": { "size": 4 } });
    let patched = plane.raw(Request::patch(format!("{widgets}/a"), "application/merge-patch+json", patch)).await;
    assert_eq!((patched.status, &patched.body["spec"]["size"]), (200, &json!(4)), "{}", patched.body);

    let refused = plane.raw(Request::put(format!("{widgets}/a"), widget(&group, "four"))).await;
    assert_eq!(refused.status, 422, "{}", refused.body);

    let table = "application/json;as=Table;g=meta.k8s.io;v=v1";
    let listed = plane.raw(Request::get(&widgets).accept(table)).await;
    assert_eq!((&listed.body["kind"], &listed.body["rows"][0]["cells"][0]), (&json!("Table"), &json!("a")));

    assert_eq!(plane.raw(Request::delete(format!("{widgets}/a"))).await.status, 200);
    assert_eq!(plane.raw(Request::get(format!("{widgets}/a"))).await.status, 404);
}

#[tokio::test]
async fn halted_control_plane_resumes_with_its_objects() {
    let Some(mut plane) = ControlPlane::start() else {
        return;
    };
    let group = unique_group();
    plane.install(&widget_crd(&group)).await.expect_accepted();
    let widget_path = format!("/apis/{group}/v1/namespaces/default/widgets/a?fieldManager=test");
    let applied = plane.raw(Request::apply(&widget_path, widget(&group, 3))).await;
    assert_eq!(applied.status, 201, "{}", applied.body);

    plane.halt();
    let client = plane.client();
    assert!(client.apiserver_version().await.is_err());
    plane.resume();

    assert_eq!(plane.raw(Request::get(&widget_path)).await.body, applied.body);
    let kubeconfig = plane.kubeconfig();
    plane.stop();
    assert!(!kubeconfig.exists());
}

#[tokio::test]
async fn flags_reach_the_api_server() {
    let Some(plane) = ControlPlane::start_with(&["--emulated-version=kube=1.35"]) else {
        return;
    };
    let version = plane.raw(Request::get("/version")).await.body;
    assert_eq!(version["emulationMinor"], "35", "{version}");
}

fn widget(group: &str, size: impl Into<Value>) -> Value {
    json!({
        "apiVersion": format!("{group}/v1"),
        "kind": "Widget",
        "metadata": { "name": "a" },
        "spec": { "size": size.into() },
    })
}

fn widget_crd(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("widgets.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": "Widget", "plural": "widgets" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": { "type": "object", "properties": { "size": { "type": "integer" } } },
                    },
                } },
            }],
        },
    })
}

#[tokio::test]
async fn controllers_run_if_there_is_their_program() {
    use crdkit_api_server::{ControlPlane as Plane, ControlPlaneError};
    use k8s_openapi::api::core::v1::Namespace;

    if ControlPlane::shared().is_none() {
        return;
    }
    let plane = match Plane::builder().controllers().start() {
        Ok(plane) => plane,
        Err(error @ ControlPlaneError::NoControllerManager) => {
            return crdkit_tests::announce(&format!("NOT TESTED with controllers: {error}"));
        }
        Err(error) => panic!("{error}"),
    };
    let namespaces = plane.client().resources::<Namespace>();
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some("emptied".to_owned());
    namespaces.create(&namespace).await.unwrap();
    // Without the controllers, it would stay for ever.
    namespaces.delete("emptied").and_wait(std::time::Duration::from_secs(60)).await.unwrap();
}

#[test]
fn a_panic_stops_the_processes_and_keeps_their_log() {
    let Some(plane) = ControlPlane::start() else {
        return;
    };
    let url = plane.config().cluster_url;
    let folder = plane.log().parent().unwrap().to_owned();
    let panicked = std::thread::spawn(move || {
        let _plane = plane;
        std::panic::resume_unwind(Box::new("a failed test"));
    });
    assert!(panicked.join().is_err());
    let port = url.port_u16().unwrap();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!folder.exists());
    let log = std::env::temp_dir().join(format!("control-plane-{port}.log"));
    assert!(!std::fs::read_to_string(&log).unwrap().is_empty());
    std::fs::remove_file(log).unwrap();
}
