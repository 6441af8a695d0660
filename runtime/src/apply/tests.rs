//! What is extracted is what was applied, whatever else is in the object.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::LocalObjectReference;
use proptest::{collection::btree_map, option, prelude::*, sample::select};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::ExtractError;
use crate::{Apply, CustomResource, KubeSchema};

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

fn word() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

/// An object with some of these members.
fn some(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    members
        .into_iter()
        .fold(Just(Map::new()).boxed(), |object, (name, value)| {
            (object, option::of(value))
                .prop_map(move |(mut object, value)| {
                    object.extend(value.map(|value| (name.to_owned(), value)));
                    object
                })
                .boxed()
        })
        .prop_map(Value::Object)
        .boxed()
}

fn texts() -> BoxedStrategy<Value> {
    word().prop_map(Value::from).boxed()
}

fn numbers() -> BoxedStrategy<Value> {
    (0..9).prop_map(Value::from).boxed()
}

fn booleans() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

/// Disks of different names, each with some of its fields.
fn disks() -> BoxedStrategy<Value> {
    let fields = some(vec![("size", numbers()), ("boot", booleans())]);
    btree_map(word(), fields, 0..4)
        .prop_map(|disks| {
            let named = disks.into_iter().map(|(name, mut disk)| {
                disk["name"] = name.into();
                disk
            });
            named.collect()
        })
        .boxed()
}

/// A part of a spec.
fn part() -> BoxedStrategy<Value> {
    let tags = btree_map(word(), Just(()), 0..4);
    some(vec![
        ("cpuKind", texts()),
        ("count", numbers()),
        ("disks", disks()),
        (
            "tags",
            tags.prop_map(|tags| tags.into_keys().collect()).boxed(),
        ),
        (
            "ports",
            prop::collection::vec(0..9, 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        (
            "nodes",
            btree_map(word(), word(), 0..3)
                .prop_map(|it| json!(it))
                .boxed(),
        ),
        (
            "secret",
            word().prop_map(|name| json!({ "name": name })).boxed(),
        ),
        ("nested", some(vec![("a", texts()), ("b", booleans())])),
    ])
}

/// The names of what is in a value, as the API server writes them.
fn fields_of(value: &Value, name: &str) -> Value {
    match value {
        Value::Object(members) if name != "secret" => members
            .iter()
            .map(|(name, member)| (format!("f:{name}"), fields_of(member, name)))
            .collect(),
        Value::Array(items) if name == "disks" => items
            .iter()
            .map(|disk| {
                let mut fields = fields_of(disk, "");
                fields["."] = json!({});
                (format!("k:{}", json!({ "name": disk["name"] })), fields)
            })
            .collect(),
        Value::Array(items) if name == "tags" => items
            .iter()
            .map(|tag| (format!("v:{tag}"), json!({})))
            .collect(),
        _ => json!({}),
    }
}

/// What the API server makes of an object to which a part is applied.
fn merge(object: &mut Value, part: &Value, name: &str) {
    match (object, part) {
        (Value::Object(members), Value::Object(others)) if name != "secret" => {
            for (name, other) in others {
                merge(members.entry(name).or_insert(Value::Null), other, name);
            }
        }
        (Value::Array(items), Value::Array(others)) if name == "disks" => {
            for other in others {
                match items.iter_mut().find(|item| item["name"] == other["name"]) {
                    Some(item) => merge(item, other, ""),
                    None => items.push(other.clone()),
                }
            }
        }
        (Value::Array(items), Value::Array(others)) if name == "tags" => {
            let new: Vec<_> = others
                .iter()
                .filter(|it| !items.contains(it))
                .cloned()
                .collect();
            items.extend(new);
        }
        (object, part) => *object = part.clone(),
    }
}

/// The same with lists in order that have none.
fn ordered(mut spec: Value) -> Value {
    for name in ["disks", "tags"] {
        if let Some(Value::Array(items)) = spec.get_mut(name) {
            items.sort_by_key(ToString::to_string);
        }
    }
    spec
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
        let extracted = serde_json::to_value(extracted).unwrap();
        let extracted = extracted.get("spec").cloned().unwrap_or(json!({}));
        prop_assert_eq!(ordered(extracted), ordered(mine));
    }
}

#[test]
fn nothing_is_extracted_for_others() {
    let machine = machine(&json!({ "count": 1 }), &managed(&json!({})));
    for manager in ["other", "nobody"] {
        let extracted = MachineApply::extract(&machine, manager).unwrap();
        assert_eq!(extracted, MachineApply::new());
    }
}

#[test]
fn metadata_and_status_are_extracted() {
    let mut object = machine(&json!({}), &json!([]));
    object.status = Some(MachineStatus {
        phase: Some("Running".into()),
    });
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
fn what_is_alone_is_extracted_as_its_topology_says() {
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
    assert_eq!(
        serde_json::to_value(extracted).unwrap()["spec"],
        json!({ "free": {} })
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let spec = json!({ "count": 1, "disks": [{ "name": "a", "size": 1 }], "nodes": { "a": "b" } });
    for (fields, expected) in [
        (
            json!({ "f:note": {} }),
            "`me` owns `.spec.note`, which the object does not have",
        ),
        (
            json!({ "f:count": { "f:x": {} } }),
            "`me` owns `.spec.count.(f:x)`",
        ),
        (
            json!({ "f:disks": { "k:{\"name\":\"b\"}": {} } }),
            "`me` owns `.spec.disks[name=\"b\"]`",
        ),
        (
            json!({ "f:disks": { "k:{\"name\":\"a\"}": { "f:kind": {} } } }),
            "`me` owns `.spec.disks[name=\"a\"].kind`",
        ),
        (
            json!({ "f:disks": { "k:name": {} } }),
            "what `me` owns cannot be read at `.spec.disks.(k:name)`",
        ),
        (
            json!({ "count": {} }),
            "what `me` owns cannot be read at `.spec.(count)`",
        ),
    ] {
        let machine = machine(&spec, &managed(&json!({ "f:spec": fields })));
        let error = MachineApply::extract(&machine, "me").unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let mut object = machine(&spec, &managed(&json!({})));
    object.metadata.managed_fields.as_mut().unwrap()[2].api_version = Some("example.com/v2".into());
    let error = MachineApply::extract(&object, "me").unwrap_err();
    assert!(
        matches!(error, ExtractError::OtherVersion { .. }),
        "{error}"
    );
    object.metadata.managed_fields = None;
    let error = MachineApply::extract(&object, "me").unwrap_err();
    assert_eq!(error, ExtractError::NoManagedFields);
}
