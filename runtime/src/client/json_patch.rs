//! Computes differences as JSON patches (RFC 6902).

use serde_json::{Value, json};

use crate::json_pointer::escaped;

/// Returns the operations that transform `before` into `after`.
///
/// A list or an object is replaced or removed only if the stored value equals the one in `before`, because it may
/// contain fields that the type of `before` does not declare. If it does, the whole patch fails.
pub(crate) fn between(before: &Value, after: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    add_between(Some(before), Some(after), "", &mut operations);
    operations
}

fn add_between(before: Option<&Value>, after: Option<&Value>, path: &str, operations: &mut Vec<Value>) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
        let new = after.keys().filter(|key| !before.contains_key(*key));
        for key in before.keys().chain(new) {
            let path = format!("{path}/{}", escaped(key));
            add_between(before.get(key), after.get(key), &path, operations);
        }
        return;
    }
    if [before, after].into_iter().flatten().any(is_container) {
        operations.push(json!({ "op": "test", "path": path, "value": before }));
    }
    operations.push(match after {
        Some(value) => json!({ "op": "add", "path": path, "value": value }),
        None => json!({ "op": "remove", "path": path }),
    });
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
        assert_eq!(between(&before, &after), expected);
        assert_eq!(between(&before, &before), [] as [Value; 0]);
    }

    #[test]
    fn added_field_must_still_be_missing() {
        let status = json!({ "conditions": [{ "type": "A" }] });
        let expected = [
            json!({ "op": "test", "path": "/status", "value": null }),
            json!({ "op": "add", "path": "/status", "value": status }),
        ];
        let after = json!({ "status": status });
        assert_eq!(between(&json!({}), &after), expected);
    }

    #[test]
    fn missing_fields_are_removed_and_names_are_escaped() {
        let before = json!({ "labels": { "a.b/c~d": "1", "e": "2" }, "args": ["a"] });
        let expected = [
            json!({ "op": "test", "path": "/args", "value": ["a"] }),
            json!({ "op": "remove", "path": "/args" }),
            json!({ "op": "remove", "path": "/labels/a.b~1c~0d" }),
        ];
        assert_eq!(between(&before, &json!({ "labels": { "e": "2" } })), expected);
    }
}
