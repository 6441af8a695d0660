//! Malformed requests, which the API server in the process refuses without a panic.

use crdkit_api_server::ApiServer;
use crdkit_tests::{PROTOBUF, Request};
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
    step::Body,
};

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

/// The real server closes the connection.
#[tokio::test]
async fn custom_resources_have_no_form_in_protobuf() {
    let client = ApiServer::new().kube_client();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let created = Request::post(crds, definition()).send(client.clone()).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    let body = b"k8s\0\n\x21\n\x18differential.example.com/v1\x12\x06Widget".to_vec();
    let request = Request::with_bytes(http::Method::POST, widgets("default"), PROTOBUF, body);
    let refused = request.send(client).await.unwrap();
    assert_eq!((refused.status, &refused.body["reason"]), (415, &json!("UnsupportedMediaType")));
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

#[tokio::test]
async fn malformed_documents_are_refused_as_by_the_real_server() {
    const DOCUMENTS: [&str; 15] = [
        "",
        "null",
        "[]",
        "\"x\"",
        "1",
        "{",
        "{}",
        "{}x",
        "{}{}",
        "{\"kind\" 1}",
        "{\"kind\":1 2}",
        "[1]",
        "{\"kind\":1}",
        "{\"apiVersion\":[]}",
        "{,}",
    ];
    let Some(mut both) = Both::with_namespace("malformed").await else { return };
    let configs = "/api/v1/namespaces/malformed/configmaps";
    let mut differences = Vec::new();
    for (path, object) in [
        (
            widgets("malformed").as_str(),
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": "a" }, "spec": { "zone": "a" } }),
        ),
        (configs, json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } })),
    ] {
        differences.extend(both.send(&Step::new("POST", path, object)).await);
        for (method, name, media_type) in [
            ("PATCH", "/a", "application/merge-patch+json"),
            ("PATCH", "/a", "application/json-patch+json"),
            ("POST", "", "application/json"),
            ("PUT", "/a", "application/json"),
            ("DELETE", "/none", "application/json"),
        ] {
            for validation in ["Warn", "Ignore", "Strict"] {
                for document in DOCUMENTS {
                    let path = format!("{path}{name}?dryRun=All&fieldValidation={validation}");
                    let step = Step::new(method, path, Value::Null).of_type(media_type);
                    differences.extend(both.send(&step.with_body(Body::Raw(document.to_owned()))).await);
                }
            }
        }
    }
    let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
