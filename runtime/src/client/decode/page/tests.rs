use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::{DynamicObject, PartialObjectMeta};
use serde_json::{Value, json};

use super::*;
use crate::client::{Mismatch, dynamic::Unstructured, limits::MAX_DEPTH};

fn list() -> Value {
    let item = |name: &str| {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": name,
                "managedFields": [{ "manager": "m", "operation": "Apply", "fieldsV1": { "f:data": {} } }],
                "labels": { "a\"b": "c" },
            },
            "data": { "metadata": "retained", "managedFields": "retained" },
        })
    };
    json!({
        "apiVersion": "v1",
        "items": [item("a"), item("b")],
        "kind": "ConfigMapList",
        "metadata": { "resourceVersion": "7", "continue": "c", "remainingItemCount": 3 },
    })
}

fn configs() -> ExpectedTypes {
    ExpectedTypes::of::<ConfigMap>(&())
}

fn read<T: Resource + DeserializeOwned>(managed_fields: ManagedFields) -> Page<T> {
    page(list().to_string().as_bytes(), &configs(), managed_fields, MAX_DEPTH).unwrap()
}

fn unfit(json: &str) -> Failure {
    match page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped, MAX_DEPTH) {
        Err(ResponseError::TypeMismatch(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn mismatch(json: &str) -> Mismatch {
    match page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped, MAX_DEPTH) {
        Err(ResponseError::Unexpected(mismatch)) => mismatch,
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn pages_have_items_and_metadata() {
    let page = read::<ConfigMap>(ManagedFields::Retained);
    let names: Vec<_> = page.items.iter().map(|item| item.metadata.name.as_deref()).collect();
    assert_eq!(names, [Some("a"), Some("b")]);
    assert!(page.items[0].metadata.managed_fields.is_some());
    let metadata = page.metadata;
    assert_eq!(metadata.resource_version.as_deref(), Some("7"));
    assert_eq!(metadata.remaining_item_count, Some(3));
}

#[test]
fn only_managed_fields_are_dropped() {
    let retained = read::<ConfigMap>(ManagedFields::Retained).items;
    let dropped = read::<ConfigMap>(ManagedFields::Dropped).items;
    for (mut retained, dropped) in retained.into_iter().zip(dropped) {
        retained.metadata.managed_fields = None;
        assert_eq!(retained, dropped);
    }
}

#[test]
fn types_with_flattened_fields_are_filtered_too() {
    let objects = read::<DynamicObject>(ManagedFields::Dropped).items;
    assert_eq!(objects[0].metadata.managed_fields, None);
    assert_eq!(objects[0].types.as_ref().unwrap().kind, "ConfigMap");
    assert_eq!(objects[0].data["data"]["managedFields"], "retained");
    let partial = read::<PartialObjectMeta>(ManagedFields::Dropped).items;
    assert_eq!(partial[1].metadata.managed_fields, None);
    assert_eq!(partial[1].metadata.labels.as_ref().unwrap()["a\"b"], "c");
}

#[test]
fn values_are_filtered_like_text() {
    let values = read::<Unstructured>(ManagedFields::Dropped).items;
    let values = serde_json::to_value(values).unwrap();
    let mut whole = list()["items"].take();
    for item in whole.as_array_mut().unwrap() {
        item["metadata"].as_object_mut().unwrap().remove("managedFields");
    }
    assert_eq!(values, whole);
}

#[test]
fn empty_list_has_no_items() {
    for items in ["null", "[]"] {
        let json = format!(
            r#"{{"kind":"ConfigMapList","apiVersion":"v1","items":{items},"metadata":{{"resourceVersion":"7"}}}}"#
        );
        let page = page::<ConfigMap>(json.as_bytes(), &configs(), ManagedFields::Dropped, MAX_DEPTH);
        assert!(page.unwrap().items.is_empty());
    }
}

#[test]
fn list_of_another_kind_is_not_an_empty_list() {
    for odd in [
        "{}",
        "[]",
        "",
        "ok",
        "<html></html>",
        r#"{"status":"ok"}"#,
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":502}"#,
        r#"{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":null,"items":[]}"#,
        r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":""},"items":[]}"#,
        // Nor is a list of another kind whose items do not match.
        r#"{"items":[{"data":{"a":1}}],"kind":"SecretList","apiVersion":"v1","metadata":{}}"#,
    ] {
        mismatch(odd);
    }
}

#[test]
fn invalid_item_is_named() {
    let mut list = list();
    list["items"][1]["data"]["size"] = json!(1);
    list["items"][1]["metadata"]["namespace"] = json!("prod");
    let failure = unfit(&list.to_string());
    assert_eq!(failure.name.as_deref(), Some("b"));
    assert_eq!(failure.namespace.as_deref(), Some("prod"));
    assert_eq!(failure.path.as_deref(), Some("data.size"));
}

#[test]
fn truncated_page_is_an_error() {
    let json = list().to_string();
    for end in [0, 1, json.len() / 2, json.len() - 1] {
        let part = &json.as_bytes()[..end];
        assert!(page::<ConfigMap>(part, &configs(), ManagedFields::Dropped, MAX_DEPTH).is_err());
    }
    unfit(&json[..json.len() - 1]);
    unfit(&format!("{json}{{"));
}

#[test]
fn item_without_a_name_ends_the_page() {
    let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
    for odd in
        ["{}", "3", "null", "[]", r#"{"metadata":{}}"#, r#"{"metadata":{"name":""}}"#, &format!(r#"{{"data":{deep}}}"#)]
    {
        // The following items are not decoded.
        for behind in ["{}", r#"{"metadata":5}"#, &deep] {
            let json = format!(
                r#"{{"items":[{{"metadata":{{"name":"a"}}}},{odd},{behind}],"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}}}}"#
            );
            let found = mismatch(&json).found;
            assert!(found.contains("not a named object"), "{json}: {found}");
        }
    }
}
