//! Extraction returns the fields that were applied, regardless of the rest of the object.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::LocalObjectReference;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod random;

use super::ExtractError;
use crate::{Apply, CustomResource, KubeSchema};
use random::{fields_of, merge, ordered, part};

#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
#[crd(status = "MachineStatus", derive = "PartialEq")]
#[derive(PartialEq)]
#[serde(rename_all = "camelCase")]
struct MachineSpec {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    cpu_kind: String,
    count: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    disks: Vec<Disk>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(merge_strategy = ListMerge::Set)]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ports: Vec<i32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    nodes: BTreeMap<String, String>,
    secret: Option<LocalObjectReference>,
    #[serde(default)]
    nested: Nested,
    #[serde(default)]
    free: Value,
    foreign: Option<Foreign>,
}

/// A type whose schema is not known while compiling.
#[derive(schemars::JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Foreign {
    a: Option<i32>,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Disk {
    #[apply(key)]
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<i32>,
    #[serde(default)]
    boot: bool,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct Nested {
    #[serde(default)]
    a: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    b: bool,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct MachineStatus {
    phase: Option<String>,
}

fn machine(spec: &Value, managed: &Value) -> Machine {
    let metadata = json!({ "name": "web", "managedFields": managed });
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Machine", "metadata": metadata, "spec": spec,
        "status": { "phase": null },
    });
    serde_json::from_value(object).unwrap()
}

fn managed(fields: &Value) -> Value {
    json!([
        { "manager": "other", "operation": "Update", "apiVersion": "example.com/v1", "fieldsV1": { "f:spec": {} } },
        { "manager": "me", "operation": "Update", "apiVersion": "example.com/v1", "fieldsV1": { "f:spec": {} } },
        { "manager": "me", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsV1": fields },
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_applied_is_extracted(of_others in part(), mine in part()) {
        let mut spec = of_others;
        merge(&mut spec, &mine, "");
        let fields = json!({ "f:spec": fields_of(&mine, "") });
        let machine = machine(&spec, &managed(&fields));
        let extracted = MachineApply::extract(&machine, "me").unwrap();
        let extracted = serde_json::to_value(extracted).unwrap().get("spec").cloned().unwrap_or(json!({}));
        prop_assert_eq!(ordered(extracted), ordered(mine));
    }
}

#[test]
fn nothing_is_extracted_for_others() {
    let machine = machine(&json!({ "count": 1 }), &managed(&json!({})));
    for manager in ["other", "unknown"] {
        let extracted = MachineApply::extract(&machine, manager).unwrap();
        assert_eq!(extracted, MachineApply::new());
    }
}

#[test]
fn metadata_and_status_are_extracted() {
    let mut object = machine(&json!({}), &json!([]));
    object.status = Some(MachineStatus { phase: Some("Running".into()) });
    object.metadata.labels = Some([("a".into(), "1".into()), ("b".into(), "2".into())].into());
    object.metadata.finalizers = Some(vec!["x/y".into(), "x/z".into()]);
    let fields = json!({ "f:metadata": {
        "f:labels": { "f:a": {} }, "f:finalizers": { ".": {}, "v:\"x/z\"": {} },
    } });
    let of_status = json!({ "f:status": { "f:phase": {} } });
    let entry = |fields: &Value, subresource: &str| {
        json!({
            "manager": "me", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsV1": fields,
            "subresource": subresource,
        })
    };
    let managed = json!([entry(&fields, ""), entry(&of_status, "status")]);
    object.metadata.managed_fields = serde_json::from_value(managed).unwrap();
    let mine = MachineApply::new().labels([("a", "1")]).finalizers(["x/z"]);
    assert_eq!(MachineApply::extract(&object, "me").unwrap(), mine);
    let status = MachineApply::new().status(MachineStatusApply::new().phase("Running"));
    assert_eq!(MachineApply::extract_status(&object, "me").unwrap(), status);
}

#[test]
fn what_is_alone_is_extracted_as_its_topology_requires() {
    let spec = json!({
        "free": { "a": {}, "b": [1] }, "foreign": { "a": 1 }, "secret": { "name": "s" },
        "disks": [{ "name": "a", "size": 1 }], "nested": { "a": "b" },
    });
    let alone = json!({});
    let fields = json!({
        "f:free": { ".": {}, "f:a": alone, "f:b": alone }, "f:foreign": alone, "f:secret": alone,
        "f:disks": { "k:{\"name\":\"a\"}": alone }, "f:nested": alone,
    });
    let expected = json!({
        "free": { "a": {}, "b": [1] }, "foreign": { "a": 1 }, "secret": { "name": "s" },
        "disks": [{ "name": "a" }], "nested": {},
    });
    let of_all = machine(&spec, &managed(&json!({ "f:spec": fields })));
    let extracted = MachineApply::extract(&of_all, "me").unwrap();
    assert_eq!(serde_json::to_value(extracted).unwrap()["spec"], expected);

    let of_free = machine(&spec, &managed(&json!({ "f:spec": { "f:free": alone } })));
    let extracted = MachineApply::extract(&of_free, "me").unwrap();
    assert_eq!(serde_json::to_value(extracted).unwrap()["spec"], json!({ "free": {} }));
}

#[test]
fn what_does_not_fit_is_named() {
    let spec = json!({ "count": 1, "disks": [{ "name": "a", "size": 1 }], "nodes": { "a": "b" } });
    for (fields, expected) in [
        (json!({ "f:note": {} }), "`me` owns `.spec.note`, which the object does not have"),
        (json!({ "f:count": { "f:x": {} } }), "`me` owns `.spec.count.(f:x)`"),
        (json!({ "f:disks": { "k:{\"name\":\"b\"}": {} } }), "`me` owns `.spec.disks[name=\"b\"]`"),
        (json!({ "f:disks": { "k:{\"name\":\"a\"}": { "f:kind": {} } } }), "`me` owns `.spec.disks[name=\"a\"].kind`"),
        (json!({ "f:disks": { "k:name": {} } }), "what `me` owns cannot be read at `.spec.disks.(k:name)`"),
        (json!({ "count": {} }), "what `me` owns cannot be read at `.spec.(count)`"),
    ] {
        let machine = machine(&spec, &managed(&json!({ "f:spec": fields })));
        let error = MachineApply::extract(&machine, "me").unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let mut object = machine(&spec, &managed(&json!({})));
    object.metadata.managed_fields.as_mut().unwrap()[2].api_version = Some("example.com/v2".into());
    let error = MachineApply::extract(&object, "me").unwrap_err();
    assert!(matches!(error, ExtractError::OtherVersion { .. }), "{error}");
    object.metadata.managed_fields = None;
    let error = MachineApply::extract(&object, "me").unwrap_err();
    assert_eq!(error, ExtractError::NoManagedFields);
}
