//! Conversion by a webhook, which both servers call over TLS.

use std::time::Duration;

use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, Request, Webhook, WebhookAnswer};
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::get,
};

const GROUP: &str = "conversion.example.com";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// A type whose v1 has minutes, and whose v2 has seconds.
pub(crate) fn definition(group: &str, url: &str) -> Value {
    let version = |name: &str, field: &str, is_stored: bool| {
        json!({
            "name": name, "served": true, "storage": is_stored, "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "properties": {
                    field: { "type": "integer" },
                    "mode": { "type": "string" },
                    "note": { "type": "string" },
                    "nullable": { "type": "string", "nullable": true },
                    "defaulted": { "type": "integer", "default": 3 },
                    "parts": { "type": "array", "items": { "type": "object", "properties": { "note": { "type": "string" } } } },
                    "labels": { "type": "object", "additionalProperties": { "type": "string" } },
                } },
                "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            } } },
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": format!("timers.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "kind": "Timer", "plural": "timers" },
            "versions": [version("v1", "minutes", false), version("v2", "seconds", true)],
            "conversion": { "strategy": "Webhook", "webhook": {
                "clientConfig": { "url": url, "caBundle": ByteString(Webhook::authority().to_vec()) },
                "conversionReviewVersions": ["v1"],
            } },
        },
    })
}

/// Converts an object; `spec.mode` determines what is wrong with the answer.
fn convert(object: &Value, api_version: &str) -> Value {
    let mut converted = object.clone();
    converted["apiVersion"] = api_version.into();
    let spec = converted["spec"].as_object_mut().unwrap();
    if let Some(minutes) = spec.remove("minutes").and_then(|it| it.as_i64()) {
        spec.insert("seconds".into(), (minutes * 60).into());
    } else if let Some(seconds) = spec.remove("seconds").and_then(|it| it.as_i64()) {
        spec.insert("minutes".into(), (seconds / 60).into());
    }
    match object["spec"]["mode"].as_str() {
        Some("name") => converted["metadata"]["name"] = "other".into(),
        Some("uid") => converted["metadata"]["uid"] = "other".into(),
        Some("kind") => converted["kind"] = "Other".into(),
        Some("version") => converted["apiVersion"] = format!("{GROUP}/v3").into(),
        Some("nulls") => {
            let spec = converted["spec"].as_object_mut().unwrap();
            let nulls = json!({
                "note": null, "nullable": null, "defaulted": null, "parts": [{ "note": null }], "labels": { "a": null, "b": "c" },
                "unknown": null,
            });
            spec.extend(nulls.as_object().unwrap().clone());
        }
        Some("float") => converted["spec"]["defaulted"] = json!(60.0),
        Some("no-metadata") => drop(converted.as_object_mut().unwrap().remove("metadata")),
        Some("metadata") => {
            converted["metadata"]["labels"] = json!({ "converted": "yes" });
            converted["metadata"]["finalizers"] = json!(["example.com/a"]);
        }
        _ => {}
    }
    converted
}

pub(crate) fn answer(review: &Value) -> WebhookAnswer {
    let request = &review["request"];
    let objects = request["objects"].as_array().cloned().unwrap_or_default();
    let api_version = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let mode = objects.first().and_then(|object| object["spec"]["mode"].as_str()).unwrap_or_default().to_owned();
    let mut converted: Vec<Value> = objects.iter().map(|object| convert(object, api_version)).collect();
    let result = match mode.as_str() {
        "failure" => json!({ "status": "Failure", "message": "too long" }),
        "no-status" => json!({}),
        _ => json!({ "status": "Success" }),
    };
    if mode == "none" {
        converted.clear();
    }
    if mode == "error" {
        return WebhookAnswer { status: 500, body: String::new(), delay: Duration::ZERO };
    }
    let mut response = json!({ "uid": request["uid"], "convertedObjects": converted, "result": result });
    if mode == "review-uid" {
        response["uid"] = "x".into();
    }
    json!({ "kind": "ConversionReview", "apiVersion": review["apiVersion"], "response": response }).into()
}

fn timer(version: &str, name: &str, spec: Value) -> Value {
    json!({ "apiVersion": format!("{GROUP}/{version}"), "kind": "Timer", "metadata": { "name": name }, "spec": spec })
}

#[tokio::test]
async fn objects_are_converted_by_webhooks() {
    let Some(plane) = ControlPlane::shared() else { return };
    let webhook = Webhook::start(|_, review| answer(&review)).await;
    let definition = definition(GROUP, &webhook.url("/convert"));
    let verdict = plane.install(&definition).await;
    assert!(verdict.accepted, "{verdict}");
    let server = ApiServer::new();
    let created = Request::post(DEFINITIONS, definition).send(server.kube_client()).await.unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    let Some(mut both) = Both::with_server(&server, "conversion", &[]).await else { return };
    let path = |version: &str, name: &str| format!("/apis/{GROUP}/{version}/namespaces/conversion/timers{name}");
    let mut steps = vec![
        Step::new("POST", path("v1", ""), timer("v1", "a", json!({ "minutes": 2 }))),
        get(path("v1", "/a")),
        get(path("v2", "/a")),
        Step::new("POST", path("v2", ""), timer("v2", "b", json!({ "seconds": 180 }))),
        get(path("v1", "/b")),
        get(path("v1", "")),
        get(path("v2", "")),
        Step::new("PATCH", path("v1", "/b"), json!({ "spec": { "minutes": 5 } })).of_type(MERGE),
        Step::new("PATCH", path("v1", "/b/status"), json!({ "status": { "phase": "x" } })).of_type(MERGE),
        Step::new("PATCH", path("v2", "/b?fieldManager=me&force=true"), timer("v2", "b", json!({ "seconds": 60 })))
            .of_type(APPLY),
        Step::new("PATCH", path("v1", "/b?fieldManager=you&force=true"), timer("v1", "b", json!({ "minutes": 3 })))
            .of_type(APPLY),
        Step::new("PATCH", path("v2", "/b?fieldManager=me"), timer("v2", "b", json!({ "seconds": 60 }))).of_type(APPLY),
        get(path("v2", "/b")),
        Step::new("DELETE", path("v1", "/a"), Value::Null),
    ];
    let modes = [
        "name",
        "uid",
        "kind",
        "version",
        "no-metadata",
        "metadata",
        "nulls",
        "float",
        "failure",
        "no-status",
        "none",
        "error",
        "review-uid",
    ];
    for mode in modes {
        steps.push(Step::new("POST", path("v2", ""), timer("v2", mode, json!({ "seconds": 60, "mode": mode }))));
        steps.push(get(path("v1", &format!("/{mode}"))));
        steps.push(Step::new("DELETE", path("v2", &format!("/{mode}")), Value::Null));
    }
    // What the webhook returns is stored.
    for mode in ["nulls", "float"] {
        let name = format!("stored-{mode}");
        steps.push(Step::new("POST", path("v1", ""), timer("v1", &name, json!({ "minutes": 1, "mode": mode }))));
        steps.push(get(path("v2", &format!("/{name}"))));
        steps.push(get(path("v1", &format!("/{name}"))));
    }
    let mut differences = Vec::new();
    for step in steps {
        let mut responses = both.respond(&step).await;
        responses.iter_mut().for_each(hide_review);
        let [embedded, real] = responses;
        differences.extend(Both::difference(&step, embedded, real).map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));

    // The definition is that of all tests, and the webhook ends.
    let deleted = plane.raw(Request::delete(path("v2", ""))).await;
    assert!(deleted.is_success(), "{}", deleted.body);
    let deleted = plane.raw(Request::delete(format!("{DEFINITIONS}/timers.{GROUP}"))).await;
    assert!(deleted.is_success(), "{}", deleted.body);
}

/// Replaces the UID of a review.
fn hide_review(value: &mut Value) {
    let mut text = value.to_string();
    let before = "expected response.uid=\\\"";
    for (start, _) in text.clone().rmatch_indices(before) {
        const LENGTH: usize = 36;
        let start = start + before.len();
        text.replace_range(start..start + LENGTH, "u");
    }
    while let Some(start) = text.find("revision=") {
        let digits = text[start + 9..].find(|c: char| !c.is_ascii_digit()).unwrap_or_default();
        text.replace_range(start..start + 9 + digits, "revision");
    }
    *value = serde_json::from_str(&text).unwrap();
}
