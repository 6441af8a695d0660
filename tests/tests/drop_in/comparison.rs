//! Compares the definitions and objects of both derives.

use kube::{CustomResourceExt, Resource};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    crdkit_types::{self, types as ours},
    differences::{self, DIFFERENCES, Difference},
    kube_types::{self, types as theirs},
};

/// The definitions of one type, by kube-derive and by crdkit.
type Definitions = fn() -> (Value, Value);

macro_rules! definitions {
    ($($module:ident::$root:ident),+) => {
        &[$(|| {
            (json!(kube_types::$module::$root::crd()), json!(crdkit_types::$module::$root::crd()))
        }),+]
    };
}

const DEFINITIONS: &[Definitions] = definitions![
    types::Everything,
    types::Bare,
    types::RootlessObject,
    types::Open,
    types::Schemaless,
    types::Scaled,
    specs::Least,
    specs::FootObject,
    specs::Typed,
    specs::Raw,
    specs::Ruled,
    specs::Checked,
    specs::Assorted,
    specs::Choice,
    specs::Either,
    specs::Undescribed,
    specs::Loose,
    specs::Bucket,
    specs::Shard,
    specs::ByHand,
    operators::Warehouse
];

/// What differs besides these differences.
fn others(known: &[(&str, Difference)]) -> Vec<String> {
    let mut others = Vec::new();
    for definitions in DEFINITIONS {
        let (mut kube, mut crdkit) = definitions();
        differences::remove(known, "", &mut kube);
        differences::remove(known, "", &mut crdkit);
        let name = kube["metadata"]["name"].to_string();
        compare(&name, &kube, &crdkit, &mut others);
    }
    others
}

#[test]
fn definitions_are_the_same_but_for_the_deliberate_differences() {
    let others = others(DIFFERENCES);
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn each_deliberate_difference_is_still_one() {
    for (index, (name, _)) in DIFFERENCES.iter().enumerate() {
        let mut known = DIFFERENCES.to_vec();
        known.remove(index);
        assert!(!others(&known).is_empty(), "{name} makes no difference");
    }
}

pub(crate) fn compare(path: &str, kube: &Value, crdkit: &Value, others: &mut Vec<String>) {
    match (kube, crdkit) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<_> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let path = format!("{path}/{name}");
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => compare(&path, one, other, others),
                    (Some(one), None) => others.push(format!("{path}: {one} only of kube-derive")),
                    (_, other) => others.push(format!("{path}: {other:?} only of crdkit")),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}/{index}"), one, other, others);
            }
        }
        _ if kube == crdkit => {}
        _ => others.push(format!("{path}: {kube} of kube-derive, {crdkit} of crdkit")),
    }
}

/// The object as text, after it has been read from JSON.
fn rewritten<K: Serialize + DeserializeOwned>(object: &Value) -> String {
    serde_json::to_string(&serde_json::from_value::<K>(object.clone()).unwrap()).unwrap()
}

macro_rules! same_objects {
    ($($test:ident: $root:ident, $members:tt;)+) => {$(
        #[test]
        fn $test() {
            let mut object = json!($members);
            object["apiVersion"] = json!(ours::$root::api_version(&()));
            object["kind"] = json!(ours::$root::kind(&()));
            object["metadata"] = json!({ "name": "a", "labels": { "b": "c" } });
            let (one, other) = (rewritten::<theirs::$root>(&object), rewritten::<ours::$root>(&object));
            assert_eq!(one, other);
        }
    )+};
}

same_objects! {
    objects_with_a_spec: Bare, { "spec": { "firstSize": 1 }, "status": { "ignored": 1 } };
    objects_without_a_spec: RootlessObject, {
        "colour": "red",
        "status": { "replicas": 1, "labelSelector": "a=b", "phase": "read-only" },
    };
    objects_without_a_status: RootlessObject, { "colour": "red", "size": 3 };
    open_objects: Open, { "spec": { "known": "a", "unknown": { "deep": [1, null] } } };
    scaled_objects: Scaled, { "spec": { "replicas": 1 } };
    objects_with_everything: Everything, {
        "spec": {
            "name": "a", "nullable": null, "count": 4,
            "numbers": {
                "u8": 1, "u16": 1, "u32": 1, "u64": 1, "usize": 1, "i8": -1, "i16": -1, "i32": -1, "i64": -1, "isize": -1,
                "f32": 0.5, "f64": 0.5, "optional": null,
            },
            "time": "2020-01-01T00:00:00Z", "quantity": "1Gi", "maybeQuantity": null, "port": "80%",
            "list": ["a"], "inner": ["a"], "hashSet": ["a"], "mergedSet": ["a"],
            "mergedList": [{ "port": 1 }], "atomicList": [{ "port": 1, "tags": ["a"] }],
            "granularMap": { "a": 1 }, "atomicStruct": { "port": 1, "mode": "read-write" },
            "map": { "a": { "port": 1 } }, "anyMap": { "a": [null, { "b": 1 }] },
            "mode": "read-only", "optionalMode": null, "describedMode": "read-write", "describedOptional": "One",
            "nested": { "port": 1 }, "optionalNested": null, "newtype": 1, "transparent": [1],
            "otherName": "a", "flatOne": "a", "flatTwo": null, "pattern": "a", "email": "a@example.com", "ranged": 1,
            "with": "a", "schemaWith": 2, "extended": "aa", "annotated": "a", "tupleList": [[1]],
            "boxed": { "port": 1 }, "example": 5,
        },
        "status": { "replicas": 1, "labelSelector": "a=b", "phase": "read-only" },
    };
    objects_without_a_schema: Schemaless, { "spec": { "anything": [{}] } };
}

#[test]
fn new_and_default_objects_are_the_same() {
    assert_eq!(json!(theirs::Bare::default()), json!(ours::Bare::default()));
    let one = theirs::Bare::new("a", theirs::BareSpec::default());
    let other = ours::Bare::new("a", ours::BareSpec::default());
    assert_eq!(json!(one), json!(other));
}

#[test]
fn kube_sees_the_same_resource() {
    let (one, other) = (theirs::Everything::api_resource(), ours::Everything::api_resource());
    assert_eq!(one, other);
    assert_eq!(theirs::Everything::crd_name(), ours::Everything::crd_name());
    assert_eq!(theirs::Everything::shortnames(), ours::Everything::shortnames());
}

#[test]
fn objects_of_generic_types_are_the_same() {
    let object = json!({
        "apiVersion": "dropin.example.com/v1",
        "kind": "Warehouse",
        "metadata": { "name": "a" },
        "spec": {
            "brokers": {
                "config": {
                    "logging": { "agent": true, "containers": { "log-agent": { "level": "INFO" } }, "loudest": "main" },
                    "resources": { "cpu": "1", "storage": { "data": "1Gi" } },
                },
                "overrides": { "a": { "b": "c" } },
                "management": { "maxUnavailable": 1 },
                "groups": { "default": { "config": { "logging": {
                    "agent": null, "containers": {}, "loudest": null,
                }, "resources": null }, "overrides": {}, "replicas": 1 } },
            },
            "cache": { "seconds": 1 },
            "shop": { "last": { "ware": { "data": "a" } }, "stock": { "cpu": null, "storage": { "data": null } } },
            "port": { "number": 80 },
            "login": { "secret": "a" },
            "otherLogins": [{ "secret": "b", "data": "c" }],
            "properties": { "a": "b" },
        },
    });
    assert_eq!(
        rewritten::<kube_types::operators::Warehouse>(&object),
        rewritten::<crdkit_types::operators::Warehouse>(&object)
    );
}
