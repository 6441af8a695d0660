//! Tests that requests and responses are not repeated.

use std::fmt::Debug;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;

use super::*;
use crate::client::{
    Patch,
    delete::Deleted,
    mock::{Mock, Reply},
    request::{Request, Verb},
};

#[test]
fn debug_of_requests_contains_no_secrets() {
    let silent = |it: &dyn Debug| {
        let text = format!("{it:?} {it:#?}");
        assert!(!text.contains(SECRET), "{text}");
    };
    silent(&Patch::merge(json!({ "data": { "key": SECRET } })));
    let content = json!({ "data": { "key": SECRET } }).to_string();
    silent(&Request::object(Verb::Update, "web").content("application/json", content.clone()));
    let line = format!("{{\"type\":\"ADDED\",\"object\":{content}}}");
    silent(&crate::client::watch::line::line(line.as_bytes()).unwrap());
    let metadata = serde_json::from_value(json!({ "name": "web", "annotations": { "key": SECRET } }));
    silent(&Deleted::Terminating(Box::new(metadata.unwrap())));
}

/// Responses of all kinds, as they arrive from the network.
#[tokio::test]
async fn responses_are_not_repeated() {
    let object =
        |data: Value| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" }, "data": data });
    let unfit = object(json!({ "key": 1, "password": [SECRET] }));
    let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("data.key: Invalid value: \"{SECRET}\": no") });
    for reply in [
        Reply::exactly(200, &unfit),
        Reply::exactly(200, &json!({ "token": SECRET })),
        Reply::exactly(200, &json!({ "kind": format!("{SECRET}: {SECRET}"), "apiVersion": "v1" })),
        Reply::exactly(200, &json!(SECRET)),
        Reply::text(200, &format!("<html>{SECRET}</html>")),
        Reply::text(200, &format!("{{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"a\":\"{SECRET}")),
        Reply::exactly(422, &status),
        Reply::text(502, &format!("<html>Authorization: Bearer {SECRET}</html>")),
        Reply::text(500, SECRET),
        Reply::exactly(403, &json!({ "code": 403, "message": SECRET })),
        Reply::exactly(400, &unfit),
    ] {
        let mock = Mock::new([reply]);
        let configs = mock.client().resources::<ConfigMap>().default_namespace();
        assert_no_secrets(&configs.get("web").await.unwrap_err());
    }
}
