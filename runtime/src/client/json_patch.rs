//! Computes differences as JSON patches (RFC 6902).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::json::json_pointer::escaped;

/// The operations that the API server accepts in one JSON patch: `maxJSONPatchOperations` of `k8s.io/apiserver`.
pub(crate) const MAX_OPERATIONS: usize = 10_000;

/// What the state before a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// The stored object.
    Stored,
    /// The fields of it that a type declares: lists and objects may have more. They are replaced or removed only if the
    /// stored value equals this one. If it does not, the whole patch fails.
    Declared,
}

/// Returns the operations that transform `before` into `after`.
pub(crate) fn between(kind: Before, before: &Value, after: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    add_between(kind, Some(before), Some(after), "", &mut operations);
    operations
}

/// Returns operations that replace the members of an object that differ as a whole.
pub(crate) fn of_members(before: &Value, after: &Value) -> Vec<Value> {
    let names: BTreeSet<_> =
        [before, after].into_iter().filter_map(Value::as_object).flat_map(|members| members.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.map(|name| operation(&format!("/{}", escaped(name)), after.get(name))).collect()
}

fn add_between(kind: Before, before: Option<&Value>, after: Option<&Value>, path: &str, operations: &mut Vec<Value>) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
        let new = after.keys().filter(|key| !before.contains_key(*key));
        for key in before.keys().chain(new) {
            let path = format!("{path}/{}", escaped(key));
            add_between(kind, before.get(key), after.get(key), &path, operations);
        }
        return;
    }
    if kind == Before::Declared && [before, after].into_iter().flatten().any(is_container) {
        operations.push(json!({ "op": "test", "path": path, "value": before }));
    }
    operations.push(operation(path, after));
}

fn operation(path: &str, after: Option<&Value>) -> Value {
    match after {
        Some(value) => json!({ "op": "add", "path": path, "value": value }),
        None => json!({ "op": "remove", "path": path }),
    }
}

fn is_container(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_replaced_only_if_unchanged() {
        let before = json!({ "status": { "size": 1, "conditions": [{ "type": "A" }] } });
        let after = json!({ "status": { "size": 2, "conditions": [{ "type": "B" }] } });
        let expected = [
            json!({ "op": "test", "path": "/status/conditions", "value": [{ "type": "A" }] }),
            json!({ "op": "add", "path": "/status/conditions", "value": [{ "type": "B" }] }),
            json!({ "op": "add", "path": "/status/size", "value": 2 }),
        ];
        assert_eq!(between(Before::Declared, &before, &after), expected);
        assert_eq!(between(Before::Declared, &before, &before), [] as [Value; 0]);
    }

    #[test]
    fn added_field_must_still_be_missing() {
        let status = json!({ "conditions": [{ "type": "A" }] });
        let expected = [
            json!({ "op": "test", "path": "/status", "value": null }),
            json!({ "op": "add", "path": "/status", "value": status }),
        ];
        let after = json!({ "status": status });
        assert_eq!(between(Before::Declared, &json!({}), &after), expected);
    }

    #[test]
    fn missing_fields_are_removed_and_names_are_escaped() {
        let before = json!({ "labels": { "a.b/c~d": "1", "e": "2" }, "args": ["a"] });
        let expected = [
            json!({ "op": "test", "path": "/args", "value": ["a"] }),
            json!({ "op": "remove", "path": "/args" }),
            json!({ "op": "remove", "path": "/labels/a.b~1c~0d" }),
        ];
        assert_eq!(between(Before::Declared, &before, &json!({ "labels": { "e": "2" } })), expected);
    }

    #[test]
    fn stored_values_are_replaced_without_a_test() {
        let before = json!({ "a": { "b": 1 }, "list": [{ "x": null }], "old": {} });
        let after = json!({ "a": { "b": null }, "list": [], "new": { "c": null } });
        let expected = [
            json!({ "op": "add", "path": "/a/b", "value": null }),
            json!({ "op": "add", "path": "/list", "value": [] }),
            json!({ "op": "remove", "path": "/old" }),
            json!({ "op": "add", "path": "/new", "value": { "c": null } }),
        ];
        assert_eq!(between(Before::Stored, &before, &after), expected);
        let expected = [
            json!({ "op": "add", "path": "/a", "value": { "b": null } }),
            json!({ "op": "add", "path": "/list", "value": [] }),
            json!({ "op": "add", "path": "/new", "value": { "c": null } }),
            json!({ "op": "remove", "path": "/old" }),
        ];
        assert_eq!(of_members(&before, &after), expected);
    }
}
