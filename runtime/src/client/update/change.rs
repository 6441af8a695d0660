//! The patch of a change, which applies only to the version that was read.

use serde_json::{Value, json};

use crate::client::{
    json_patch::{self, Before, MAX_OPERATIONS},
    merge_patch,
    patch::Patch,
};

/// Returns the patch that transforms the stored object; `None` if nothing changes.
pub(super) fn of_stored(stored: &Value, desired: &Value) -> Option<Patch> {
    let patch = merge_patch::between(stored, desired)?;
    if !merge_patch::loses_null(stored, desired) {
        return Some(versioned(patch, stored));
    }
    let mut changes = json_patch::between(Before::Stored, stored, desired);
    if changes.len() >= MAX_OPERATIONS {
        changes = json_patch::of_members(stored, desired);
    }
    Some(versioned_operations(changes, stored))
}

/// How to change an object of which only the fields that its type declares are known.
pub(super) enum ObjectPatch {
    Nothing,
    /// The patch, and whether the API server rejects it as invalid if the stored lists have more fields.
    Patch {
        patch: Patch,
        may_not_apply: bool,
    },
    /// The stored object is needed first.
    ReadFirst,
}

/// Returns how to transform the declared fields of an object.
pub(super) fn of_declared(before: &Value, after: &Value) -> ObjectPatch {
    let Some(patch) = merge_patch::between(before, after) else {
        return ObjectPatch::Nothing;
    };
    if !merge_patch::replaces_objects(before, &patch) && !merge_patch::loses_null(before, after) {
        return ObjectPatch::Patch { patch: versioned(patch, before), may_not_apply: false };
    }
    let changes = json_patch::between(Before::Declared, before, after);
    if changes.len() >= MAX_OPERATIONS || changes.iter().any(compares_null_item) {
        return ObjectPatch::ReadFirst;
    }
    ObjectPatch::Patch { patch: versioned_operations(changes, before), may_not_apply: true }
}

/// Returns whether an operation is a `test` of a list with a null. The API server ends the connection when it compares one: in
/// `gopkg.in/evanphx/json-patch.v4`, `lazyNode.equal` dereferences the item.
fn compares_null_item(operation: &Value) -> bool {
    operation["op"] == "test" && has_null_item(&operation["value"])
}

fn has_null_item(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| item.is_null() || has_null_item(item)),
        Value::Object(members) => members.values().any(has_null_item),
        _ => false,
    }
}

fn versioned(mut patch: Value, read: &Value) -> Patch {
    let metadata = &mut patch["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata["resourceVersion"] = version(read).clone();
    Patch::merge(patch)
}

fn versioned_operations(mut changes: Vec<Value>, read: &Value) -> Patch {
    // The API server rejects an object with another version as a conflict, but a patch whose `test` fails as invalid. This is the last
    // operation, because the change may replace or remove the version.
    changes.push(json!({ "op": "add", "path": "/metadata/resourceVersion", "value": version(read) }));
    Patch::json(changes)
}

fn version(read: &Value) -> &Value {
    &read["metadata"]["resourceVersion"]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(spec: Value) -> Value {
        json!({ "metadata": { "name": "web", "resourceVersion": "7" }, "spec": spec })
    }

    #[test]
    fn a_null_is_set_by_a_json_patch() {
        let stored = object(json!({ "values": { "a": { "b": 1 } }, "size": 1 }));
        let version = json!({ "op": "add", "path": "/metadata/resourceVersion", "value": "7" });
        for (values, operation) in [
            (json!({ "a": { "b": null } }), json!({ "op": "add", "path": "/spec/values/a/b", "value": null })),
            (
                json!({ "a": { "b": 1 }, "only": { "c": null } }),
                json!({ "op": "add", "path": "/spec/values/only", "value": { "c": null } }),
            ),
        ] {
            let desired = object(json!({ "values": values, "size": 1 }));
            assert_eq!(of_stored(&stored, &desired), Some(Patch::json([&operation, &version])));
        }
        assert_eq!(of_stored(&stored, &stored), None);
    }

    #[test]
    fn nulls_that_stay_are_not_sent() {
        let stored = object(json!({ "values": { "a": null }, "size": 1 }));
        let desired = object(json!({ "values": { "a": null }, "size": 2 }));
        let patch = json!({ "metadata": { "resourceVersion": "7" }, "spec": { "size": 2 } });
        assert_eq!(of_stored(&stored, &desired), Some(Patch::merge(patch)));
        let removed = object(json!({ "values": {}, "size": 1 }));
        let patch = json!({ "metadata": { "resourceVersion": "7" }, "spec": { "values": { "a": null } } });
        assert_eq!(of_stored(&stored, &removed), Some(Patch::merge(patch)));
    }

    #[test]
    fn a_list_with_a_null_is_not_compared() {
        let list = |items: Value| object(json!({ "rows": [{ "cells": items, "note": null }] }));
        let is_read_first = |before: Value| matches!(of_declared(&before, &list(json!([2]))), ObjectPatch::ReadFirst);
        assert!(is_read_first(list(json!([1, null]))));
        assert!(!is_read_first(list(json!([1]))));
    }

    #[test]
    fn a_patch_has_no_more_operations_than_the_server_accepts() {
        let many = |value: Value| (0..MAX_OPERATIONS).map(|at| (at.to_string(), value.clone())).collect::<Value>();
        let (stored, desired) = (object(many(json!(1))), object(many(Value::Null)));
        let version = json!({ "op": "add", "path": "/metadata/resourceVersion", "value": "7" });
        let whole = json!({ "op": "add", "path": "/spec", "value": desired["spec"] });
        assert_eq!(of_stored(&stored, &desired), Some(Patch::json([whole, version])));
        assert!(matches!(of_declared(&stored, &desired), ObjectPatch::ReadFirst));
    }
}
