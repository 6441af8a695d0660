use serde_json::json;

use super::*;

fn pod(spec: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "spec": spec })
}

#[track_caller]
fn merged(old: Value, patch: Value) -> Value {
    let merged = merge(&pod(old), members(pod(patch)), kinds::schema("", "v1", "Pod")).unwrap();
    merged["spec"].clone()
}

#[track_caller]
fn error(old: Value, patch: Value) -> MergeError {
    merge(&pod(old), members(pod(patch)), kinds::schema("", "v1", "Pod")).unwrap_err()
}

#[test]
fn lists_are_merged_by_their_keys() {
    let old = json!({ "containers": [{ "name": "a", "image": "a:1", "env": [{ "name": "X", "value": "1" }] }] });
    let patch = json!({ "containers": [
        { "name": "b", "image": "b:1" },
        { "name": "a", "env": [{ "name": "Y", "value": "2" }] },
    ] });
    let expected = json!({ "containers": [
        { "name": "b", "image": "b:1" },
        { "name": "a", "image": "a:1", "env": [{ "name": "Y", "value": "2" }, { "name": "X", "value": "1" }] },
    ] });
    assert_eq!(merged(old, patch), expected);
}

#[test]
fn lists_without_a_strategy_are_replaced() {
    let old = json!({ "containers": [{ "name": "a", "args": ["1", "2"] }] });
    let patch = json!({ "containers": [{ "name": "a", "args": ["3"] }] });
    assert_eq!(merged(old, patch), json!({ "containers": [{ "name": "a", "args": ["3"] }] }));
}

#[test]
fn directives_of_maps() {
    let old = || json!({ "nodeSelector": { "a": "1" }, "securityContext": { "runAsUser": 1 }, "hostname": "a" });
    let patch = json!({ "nodeSelector": { "$patch": "replace", "b": "2" }, "securityContext": { "$patch": "delete" } });
    assert_eq!(merged(old(), patch), json!({ "nodeSelector": { "b": "2" }, "securityContext": {}, "hostname": "a" }));
    let patch = json!({ "$retainKeys": ["hostname"], "hostname": "b" });
    assert_eq!(merged(old(), patch), json!({ "hostname": "b" }));
    let patch = json!({ "$retainKeys": ["hostname"], "nodeName": "b" });
    assert_eq!(error(old(), patch), MergeError::Format("invalid patch format of retainKeys".to_owned()));
    let unknown = error(old(), json!({ "nodeSelector": { "$patch": "invert" } }));
    assert!(matches!(unknown, MergeError::Merge(message) if message.starts_with("unknown patch type: invert")));
    // A new map keeps no directive.
    assert_eq!(merged(json!({}), json!({ "nodeSelector": { "$patch": "replace", "b": "2" } })), json!({}));
}

#[test]
fn directives_of_lists() {
    let old = || json!({ "containers": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] });
    let patch = json!({ "containers": [{ "name": "b", "$patch": "delete" }] });
    assert_eq!(merged(old(), patch), json!({ "containers": [{ "name": "a" }, { "name": "c" }] }));
    let patch = json!({ "containers": [{ "name": "d" }, { "$patch": "replace" }] });
    assert_eq!(merged(old(), patch), json!({ "containers": [{ "name": "d" }] }));
    let patch = json!({
        "$setElementOrder/containers": [{ "name": "c" }, { "name": "a" }],
        "containers": [{ "name": "a", "image": "a:1" }],
    });
    let expected = json!({ "containers": [{ "name": "b" }, { "name": "c" }, { "name": "a", "image": "a:1" }] });
    assert_eq!(merged(old(), patch), expected);
    let patch = json!({ "$setElementOrder/containers": [{ "name": "c" }], "containers": [{ "name": "a" }] });
    assert!(
        matches!(error(old(), patch), MergeError::Merge(message) if message.starts_with("The order in patch list"))
    );
    let without_key = error(old(), json!({ "containers": [{ "image": "a:1" }] }));
    assert!(matches!(without_key, MergeError::Merge(message) if message.ends_with("merge key: name")));
}

#[test]
fn lists_of_scalars() {
    let old = json!({ "metadata": { "finalizers": ["a.com/1", "a.com/2"] } });
    let merge = |patch: Value| {
        merge(&old, members(json!({ "metadata": patch })), kinds::schema("", "v1", "Pod")).unwrap()["metadata"]
            ["finalizers"]
            .clone()
    };
    assert_eq!(merge(json!({ "$deleteFromPrimitiveList/finalizers": ["a.com/1"] })), json!(["a.com/2"]));
    assert_eq!(merge(json!({ "finalizers": ["a.com/3"] })), json!(["a.com/3", "a.com/1", "a.com/2"]));
    assert_eq!(merge(json!({ "finalizers": null })), Value::Null);
}

#[test]
fn unknown_fields_of_the_old_object_are_errors() {
    let unknown = error(json!({ "none": {} }), json!({ "none": {} }));
    assert!(matches!(unknown, MergeError::Merge(message) if message.contains("\"none\"")));
    assert_eq!(merged(json!({}), json!({ "none": { "a": null } })), json!({ "none": {} }));
}
