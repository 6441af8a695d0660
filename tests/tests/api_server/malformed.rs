//! Malformed requests, which the API server in the process refuses without a panic.

use crdkit::testing::ApiServer;
use crdkit_tests::Request;
use serde_json::{Value, json};

use crate::definition::{GROUP, definition, widgets};

const MEDIA_TYPES: [&str; 5] = [
    "application/json",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

fn paths() -> Vec<String> {
    let widgets = widgets("default");
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut paths = Vec::new();
    for (collection, name) in [
        (widgets.as_str(), "a"),
        (crds, &format!("widgets.{GROUP}")),
        ("/api/v1/namespaces", "default"),
        ("/api/v1/namespaces/default/pods", "a"),
        ("/apis/apps/v1/namespaces/default/deployments", "a"),
    ] {
        paths.push(collection.to_owned());
        for part in ["", "/status", "/scale", "/other"] {
            paths.push(format!("{collection}/{name}{part}?fieldManager=m&force=true"));
        }
    }
    paths
}

/// Documents with a wrong value at each place that the server reads.
fn bodies() -> Vec<Value> {
    let wrong = [json!(null), json!([null]), json!({}), json!("x"), json!({ "a": [1] })];
    let mut bodies = wrong.to_vec();
    for kind in ["Widget", "Namespace", "CustomResourceDefinition"] {
        for member in ["metadata", "spec", "status", "kind"] {
            for value in &wrong {
                let mut body = json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": "a" } });
                body[member] = value.clone();
                bodies.push(body);
            }
        }
        for member in ["name", "labels", "finalizers", "ownerReferences", "managedFields", "resourceVersion"] {
            for value in &wrong {
                bodies.push(json!({ "kind": kind, "metadata": { "name": "b", member: value } }));
            }
        }
        for member in ["names", "versions", "finalizers", "replicas", "conversion", "scope"] {
            for value in &wrong {
                bodies.push(json!({ "kind": kind, "metadata": { "name": "c" }, "spec": { member: value } }));
            }
        }
    }
    bodies
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let client = ApiServer::new().kube_client();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let created = Request::post(crds, definition()).send(client.clone()).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    for path in paths() {
        for body in bodies() {
            let mut requests = vec![Request::post(&path, body.clone()), Request::put(&path, body.clone())];
            requests.extend(MEDIA_TYPES.map(|media_type| Request::patch(&path, media_type, body.clone())));
            for request in requests {
                request.send(client.clone()).await.unwrap_or_else(|error| panic!("{path} {body}: {error:#}"));
            }
        }
    }
    let widgets = Request::get(widgets("default")).send(client.clone()).await.unwrap();
    assert_eq!(widgets.status, 200, "{}", widgets.body);
}
