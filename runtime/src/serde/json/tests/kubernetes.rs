use k8s_openapi::apimachinery::pkg::{
    api::resource::Quantity,
    apis::meta::v1::{Condition, MicroTime, ObjectMeta, OwnerReference, Time},
    util::intstr::IntOrString,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::serde::json::tests::{
    documents::{documents, odd},
    *,
};

pub(super) fn metadata() -> Value {
    json!({
        "annotations": { "a": "x\"y", "b": "z" },
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "deletionGracePeriodSeconds": 0,
        "deletionTimestamp": "2026-01-02T03:04:05.25Z",
        "finalizers": ["f", "g"],
        "generateName": "d-",
        "generation": 3,
        "labels": {},
        "managedFields": [{ "manager": "m", "operation": "Apply", "fieldsV1": { "f:a": {} } }],
        "name": "d-1",
        "namespace": "prod",
        "ownerReferences": [
            { "apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": true },
            { "apiVersion": "v1", "kind": "Node", "name": "m", "uid": "v", "blockOwnerDeletion": false },
        ],
        "resourceVersion": "7",
        "selfLink": "/",
        "uid": "0000",
    })
}

fn condition() -> Value {
    json!({
        "lastTransitionTime": "2026-01-02T03:04:05Z",
        "message": "m",
        "observedGeneration": 1,
        "reason": "R",
        "status": "True",
        "type": "Ready",
    })
}

#[test]
fn usual_objects_are_decoded() {
    let meta = assert_decodes::<ObjectMeta>(&metadata().to_string());
    assert_eq!(meta.owner_references.unwrap().len(), 2);
    assert_eq!(meta.managed_fields.unwrap().len(), 1);
    assert_decodes::<ObjectMeta>("{}");
    assert_eq!(assert_decodes::<OwnerReference>(r#"{"kind":null}"#).kind, "");
    assert_eq!(assert_decodes::<Condition>(&condition().to_string()).type_, "Ready");
    assert_eq!(assert_decodes::<IntOrString>("-8"), IntOrString::Int(-8));
    assert_eq!(assert_decodes::<IntOrString>("\"8\""), IntOrString::String("8".to_owned()));
    assert_eq!(assert_decodes::<Quantity>("\"8Gi\"").0, "8Gi");
    assert_eq!(assert_decodes::<Quantity>("8.5").0, "8.5");
    assert_decodes::<Time>("\"2026-01-02T03:04:05Z\"");
    assert_decodes::<MicroTime>("\"2026-01-02T03:04:05.123456Z\"");
}

#[test]
fn unusual_values_decode_as_in_serde() {
    for text in odd() {
        compare::<ObjectMeta>(&text);
        compare::<OwnerReference>(&text);
        compare::<Condition>(&text);
        compare::<Quantity>(&text);
        compare::<IntOrString>(&text);
        compare::<Time>(&text);
        compare::<MicroTime>(&text);
    }
}

proptest! {
    #[test]
    fn changed_metadata_decodes_as_in_serde(text in documents(metadata())) {
        compare::<ObjectMeta>(&text);
    }

    #[test]
    fn changed_conditions_decode_as_in_serde(text in documents(condition())) {
        compare::<Condition>(&text);
    }
}
