use bytes::Bytes;
use k8s_openapi::api::{apps::v1::Deployment, autoscaling::v1::Scale, core::v1::ConfigMap};
use serde_json::{Value, json};

use super::*;
use crate::webhook::{AdmissionContext, FieldErrors, Webhook, WebhookBuilder, handler::HandlerError};

fn object(metadata: Value, data: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data })
}

/// An object that is being deleted.
fn terminating(finalizers: &[&str]) -> Value {
    let metadata = json!({
        "name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": finalizers, "resourceVersion": "7",
    });
    object(metadata, json!({ "a": "1" }))
}

fn update(old: &Value, new: &Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "u", "operation": "UPDATE", "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "object": new, "oldObject": old,
        },
    })
}

fn deletion(old: &Value) -> Value {
    let mut review = update(old, &Value::Null);
    review["request"]["operation"] = json!("DELETE");
    review
}

/// A webhook that denies everything.
fn denying() -> WebhookBuilder<ConfigMap> {
    async fn deny(_: Arc<ConfigMap>, _: AdmissionContext<ConfigMap>) -> Result<(), FieldErrors> {
        let mut errors = FieldErrors::new();
        errors.forbidden("data", "called");
        Err(errors)
    }
    let webhook = Webhook::of::<ConfigMap>().validate(deny).validate_deletion(deny);
    webhook.mutate(|map, _| _ = map.data.insert([("b".to_owned(), "2".to_owned())].into()))
}

/// Returns the response to a validating review, or why there is none.
async fn response(webhook: impl Into<Webhook>, review: &Value) -> Result<Value, HandlerError> {
    let handler = webhook.into().validation.unwrap().handler;
    let body = handler.review(&Bytes::from(review.to_string())).await?;
    Ok(serde_json::from_slice::<Value>(&body).unwrap()["response"].take())
}

async fn is_allowed(webhook: impl Into<Webhook>, review: &Value) -> bool {
    response(webhook, review).await.unwrap()["allowed"] == true
}

#[tokio::test]
async fn removed_finalizers_of_a_terminating_object_need_no_call() {
    let before = terminating(&["a", "b"]);
    for left in [&[][..], &["a"], &["b"]] {
        let mut after = terminating(left);
        after["metadata"]["managedFields"] = json!([{ "manager": "me" }]);
        after["metadata"]["resourceVersion"] = json!("8");
        let review = update(&before, &after);
        assert!(is_allowed(denying(), &review).await, "{left:?}");
        assert!(!is_allowed(denying().review_finalizer_removals(), &review).await, "{left:?}");
        let mutation = Webhook::from(denying()).mutation.unwrap().handler;
        let body = mutation.review(&Bytes::from(review.to_string())).await.unwrap();
        assert!(!String::from_utf8(body).unwrap().contains("patch"));
    }
    let mut without = terminating(&[]);
    without["metadata"].as_object_mut().unwrap().remove("finalizers");
    assert!(is_allowed(denying(), &update(&before, &without)).await);
}

#[tokio::test]
async fn all_other_updates_are_reviewed() {
    let before = terminating(&["a", "b"]);
    let with = |pointer: &str, value: Value| {
        let mut after = terminating(&["a"]);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        after.pointer_mut(parent).unwrap()[name] = value;
        after
    };
    let mut cases = vec![
        terminating(&["a", "b"]),
        terminating(&["a", "c"]),
        terminating(&["a", "b", "c"]),
        with("/data/a", json!("2")),
        with("/data/b", json!("2")),
        with("/metadata/labels", json!({ "x": "y" })),
        with("/status", json!({})),
        with("/metadata/ownerReferences", json!([])),
    ];
    let mut without_data = terminating(&["a"]);
    without_data.as_object_mut().unwrap().remove("data");
    cases.push(without_data);
    for after in &cases {
        assert!(!is_allowed(denying(), &update(&before, after)).await, "{after}");
    }
    // Not deleted yet.
    let alive = |finalizers: &[&str]| object(json!({ "name": "web", "finalizers": finalizers }), json!({}));
    assert!(!is_allowed(denying(), &update(&alive(&["a"]), &alive(&[]))).await);
    assert!(!is_allowed(denying(), &deletion(&before)).await);
}

#[tokio::test]
async fn an_undecodable_object_is_left_to_the_policy() {
    let old = |labels: Value| object(json!({ "name": "web", "labels": labels }), json!({ "a": 1 }));
    let labelled = update(&old(json!({})), &old(json!({ "x": "y" })));
    let repaired = update(&old(json!({})), &object(json!({ "name": "web" }), json!({ "a": "1" })));
    for review in [&labelled, &repaired, &deletion(&old(json!({})))] {
        let Err(HandlerError::Failed(message)) = response(denying(), review).await else {
            panic!("{review}");
        };
        assert!(message.contains("object cannot be decoded: data.a: "), "{message}");
    }
    let passing = || denying().undecodable(UndecodablePolicy::Pass);
    for review in [&labelled, &deletion(&old(json!({})))] {
        let response = response(passing(), review).await.unwrap();
        assert_eq!(response["allowed"], true);
        let warning = response["warnings"][0].as_str().unwrap();
        assert!(warning.starts_with("not reviewed: the object cannot be decoded: data.a: "), "{warning}");
    }
    // As one that is created.
    assert!(!is_allowed(passing(), &repaired).await);
    let broken = update(&old(json!({})), &object(json!({ "name": "web" }), json!({ "a": 2 })));
    for webhook in [denying(), passing()] {
        let response = response(webhook, &broken).await.unwrap();
        assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(400)));
    }
    let freed = {
        let broken = |finalizers| {
            let mut object = terminating(finalizers);
            object["data"] = json!({ "a": 1 });
            object
        };
        update(&broken(&["a"]), &broken(&[]))
    };
    assert!(is_allowed(denying(), &freed).await);
}

#[tokio::test]
async fn an_update_without_an_old_object_is_no_creation() {
    let mut review = update(&Value::Null, &object(json!({ "name": "web" }), json!({})));
    let failure = response(denying(), &review).await;
    assert_eq!(failure, Err(HandlerError::Failed("the request has no old object".to_owned())));
    review["request"]["operation"] = json!("CREATE");
    assert!(!is_allowed(denying(), &review).await);
}

#[tokio::test]
async fn reviews_of_other_kinds_are_refused() {
    let map = object(json!({ "name": "web" }), json!({}));
    let right = update(&map, &map);
    for (pointer, value, text) in [
        (
            "/request/kind/kind",
            "Secret",
            "the review is of the kind Secret of v1, but the webhook is for ConfigMap of v1",
        ),
        ("/request/kind/group", "x.io", "the review is of the kind ConfigMap of x.io/v1, but"),
        ("/request/kind/version", "v2", "the review is of the kind ConfigMap of v2, but"),
        ("/request/object/kind", "Secret", "the object is of the kind Secret of v1, but"),
        ("/request/object/apiVersion", "v2", "the object is of the kind ConfigMap of v2, but"),
        ("/request/oldObject/kind", "Secret", "the object is of the kind Secret of v1, but"),
    ] {
        let mut review = right.clone();
        *review.pointer_mut(pointer).unwrap() = json!(value);
        let Err(HandlerError::BadRequest(message)) = response(denying(), &review).await else {
            panic!("{pointer}");
        };
        assert!(message.starts_with(text), "{message}");
    }
    let mut review = right.clone();
    review["request"]["object"].as_object_mut().unwrap().remove("kind");
    assert!(!is_allowed(denying(), &review).await, "it is reviewed");
}

#[tokio::test]
async fn the_scale_of_a_kind_is_of_its_own_kind() {
    async fn validate(_: Arc<Scale>, _: AdmissionContext<Scale>) -> Result<(), FieldErrors> {
        Ok(())
    }
    let scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "web" } });
    let mut review = update(&scale, &scale);
    review["request"]["kind"] = json!({ "group": "autoscaling", "version": "v1", "kind": "Scale" });
    review["request"]["subResource"] = json!("scale");
    assert!(is_allowed(Webhook::scale_of::<Deployment>().validate(validate), &review).await);
}
