//! The reviews that the API server sends.

use bytes::Bytes;
use crdkit_benches::objects::{Shape, old::VirtualMachine as OldMachine};
use serde_json::{Value, json};

pub(crate) const VALIDATE_PATH: &str = "/validate-vm-test-v1-virtualmachine";
pub(crate) const MUTATE_PATH: &str = "/mutate-vm-test-v1-virtualmachine";
pub(crate) const CONVERT_PATH: &str = "/convert";

/// A request to a webhook.
pub(crate) struct Review {
    pub(crate) path: &'static str,
    pub(crate) body: Bytes,
}

impl Review {
    /// An admission review of an operation.
    pub(crate) fn admission(path: &'static str, operation: &str, object: &Value, old: &Value) -> Self {
        let kind = json!({ "group": "vm.test", "version": "v1", "kind": "VirtualMachine" });
        let resource = json!({ "group": "vm.test", "version": "v1", "resource": "virtualmachines" });
        let named = if object.is_null() { old } else { object };
        let review = json!({
            "kind": "AdmissionReview",
            "apiVersion": "admission.k8s.io/v1",
            "request": {
                "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
                "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
                "name": named["metadata"]["name"], "namespace": named["metadata"]["namespace"],
                "operation": operation,
                "userInfo": {
                    "username": "system:serviceaccount:shop:deployer",
                    "uid": "014fbff9-a07f-4e3c-9f2d-5a3c7b0a8e1d",
                    "groups": ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
                },
                "object": object, "oldObject": old, "dryRun": false,
                "options": { "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "deployer" },
            },
        });
        Self { path, body: review.to_string().into() }
    }

    /// A conversion review.
    pub(crate) fn conversion(objects: &[Value], version: &str) -> Self {
        let review = json!({
            "kind": "ConversionReview",
            "apiVersion": "apiextensions.k8s.io/v1",
            "request": {
                "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
                "desiredAPIVersion": format!("vm.test/{version}"),
                "objects": objects,
            },
        });
        Self { path: CONVERT_PATH, body: review.to_string().into() }
    }
}

/// A machine of the new version.
pub(crate) fn machine(number: usize) -> Value {
    const OF: usize = 100_000;
    serde_json::from_str(&Shape::VirtualMachines.json(number, OF)).expect("objects are JSON")
}

/// The same machine in the old version.
pub(crate) fn old_machine(number: usize) -> Value {
    let hub = serde_json::from_value(machine(number)).expect("objects are machines");
    let old = OldMachine::from_hub(hub).expect("the old version expresses all machines");
    let mut old = serde_json::to_value(old).expect("machines are JSON");
    remove_nulls(&mut old);
    old
}

/// The API server removes what a type without a value serializes as null.
fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// One review of each kind that is measured, by name.
pub(crate) fn measured(objects: usize) -> [(&'static str, Review); 3] {
    let machine = machine(7);
    let old: Vec<_> = (0..objects).map(old_machine).collect();
    [
        ("validate", Review::admission(VALIDATE_PATH, "CREATE", &machine, &Value::Null)),
        ("mutate", Review::admission(MUTATE_PATH, "CREATE", &machine, &Value::Null)),
        ("convert", Review::conversion(&old, "v1")),
    ]
}
