//! What the server makes of an object before it validates it, in its order.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize as _;
use serde_json::{Map, Number, Value, json};

use super::node::{Node, Values};

/// Drops nulls, fills in defaults and prunes unknown fields; the paths of these.
pub(super) fn admit(node: &Node, value: &mut Value) -> Vec<String> {
    settle_numbers(value);
    drop_nulls(node, value);
    fill_in_defaults(node, value);
    prune(Some(node), false, value)
}

/// Writes whole numbers without a fraction, and those beyond its integers with less precision, as the server does.
pub(super) fn settle_numbers(value: &mut Value) {
    const END: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            if let Some(float) = number.as_f64().and_then(Number::from_f64) {
                *number = float;
            }
        }
        Value::Number(number) if number.is_f64() => {
            let whole = number
                .as_f64()
                .filter(|float| float.fract() == 0.0 && (-END..END).contains(float));
            if let Some(float) = whole {
                *number = Number::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle_numbers),
        Value::Object(members) => members.values_mut().for_each(settle_numbers),
        _ => {}
    }
}

/// Drops the members that are null where null has no place, unless there is a default.
fn drop_nulls(node: &Node, value: &mut Value) {
    match value {
        Value::Object(members) => members.retain(|name, value| {
            let Some(member) = node.member(name) else {
                return true;
            };
            drop_nulls(member, value);
            !(is_misplaced_null(member, value) && member.default().is_none())
        }),
        Value::Array(items) => {
            if let Some(node) = &node.items {
                items.iter_mut().for_each(|item| drop_nulls(node, item));
            }
        }
        _ => {}
    }
}

fn is_misplaced_null(node: &Node, value: &Value) -> bool {
    value.is_null() && !node.is_nullable()
}

/// Fills in defaults, also those of what was just filled in.
fn fill_in_defaults(node: &Node, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, property) in &node.properties {
                let is_absent = members
                    .get(name)
                    .is_none_or(|value| is_misplaced_null(property, value));
                if let Some(default) = property.default().filter(|_| is_absent) {
                    members.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in members {
                if let Some(member) = node.member(name) {
                    replace_null(member, value);
                    fill_in_defaults(member, value);
                }
            }
        }
        Value::Array(all) => {
            if let Some(items) = &node.items {
                for item in all {
                    replace_null(items, item);
                    fill_in_defaults(items, item);
                }
            }
        }
        _ => {}
    }
}

fn replace_null(node: &Node, value: &mut Value) {
    if let Some(default) = node.default().filter(|_| is_misplaced_null(node, value)) {
        *value = default.clone();
    }
}

/// The paths of what the schema does not name.
pub(super) fn unknown(node: &Node, value: &Value) -> Vec<String> {
    prune(Some(node), false, &mut value.clone())
}

/// Drops what the schema does not name, unless it is to be kept, and says where it was.
fn prune(node: Option<&Node>, keep: bool, value: &mut Value) -> Vec<String> {
    let keep = keep || node.is_some_and(Node::preserves);
    match (node, value) {
        (None, _) if keep => Vec::new(),
        (Some(node), Value::Object(members)) => prune_members(node, keep, members),
        (None, Value::Object(members)) => {
            let unknown = members.keys().map(|name| format!(".{name}")).collect();
            members.clear();
            unknown
        }
        (node, Value::Array(items)) => {
            let inner = node.and_then(|node| node.items.as_deref());
            let of_item = |(at, item)| below(prune(inner, keep, item), format_args!("[{at}]"));
            items.iter_mut().enumerate().flat_map(of_item).collect()
        }
        _ => Vec::new(),
    }
}

fn prune_members(node: &Node, keep: bool, members: &mut Map<String, Value>) -> Vec<String> {
    let mut unknown = Vec::new();
    members.retain(|name, value| {
        if node.is_embedded() && META.contains(&name.as_str()) {
            if name == "metadata" {
                tidy(value);
            }
            return true;
        }
        let inside = match (node.member(name), &node.values) {
            (Some(member), _) => prune(Some(member), false, value),
            (None, Values::Allowed | Values::Forbidden) => prune(None, false, value),
            (None, _) if keep => Vec::new(),
            (None, _) => {
                unknown.push(format!(".{name}"));
                return false;
            }
        };
        unknown.extend(below(inside, format_args!(".{name}")));
        true
    });
    unknown
}

fn below(mut paths: Vec<String>, step: fmt::Arguments<'_>) -> Vec<String> {
    for path in &mut paths {
        *path = format!("{step}{path}");
    }
    paths
}

/// Leaves of metadata what the server knows and does not leave out, as it writes them again.
fn tidy(metadata: &mut Value) {
    let Ok(known) = ObjectMeta::deserialize(&*metadata) else {
        return; // refused
    };
    if let Value::Object(members) = json!(known) {
        let is_empty = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        let left = members.into_iter().filter(|(_, value)| !is_empty(value));
        *metadata = Value::Object(left.collect());
    }
}

/// What each resource has, whatever its schema says.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_admitted_as_the_server_does() {
        let integer = json!({ "type": "integer" });
        let kept = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let defaulted = json!({ "type": "integer", "default": 1 });
        let nullable = json!({ "type": "integer", "nullable": true, "default": 1 });
        for (schema, document, expected) in [
            (
                json!({ "a": integer }),
                json!({ "a": 1, "b": 2 }),
                json!({ "a": 1 }),
            ),
            (
                json!({ "a": integer }),
                json!({ "a": 1.0 }),
                json!({ "a": 1 }),
            ),
            (json!({ "a": integer }), json!({ "a": null }), json!({})),
            (
                json!({ "a": defaulted }),
                json!({ "a": null }),
                json!({ "a": 1 }),
            ),
            (json!({ "a": defaulted }), json!({}), json!({ "a": 1 })),
            (
                json!({ "a": nullable }),
                json!({ "a": null }),
                json!({ "a": null }),
            ),
            (
                json!({ "a": { "type": "object", "properties": { "b": defaulted } } }),
                json!({}),
                json!({}),
            ),
            (
                json!({ "a": { "type": "object", "default": {}, "properties": { "b": defaulted } } }),
                json!({}),
                json!({ "a": { "b": 1 } }),
            ),
            (
                json!({ "a": { "type": "object" } }),
                json!({ "a": { "b": 1 } }),
                json!({ "a": {} }),
            ),
            (
                json!({ "a": { "type": "object", "additionalProperties": true } }),
                json!({ "a": { "b": { "c": 1 }, "d": 1, "e": null, "f": [{ "g": 1 }] } }),
                json!({ "a": { "b": {}, "d": 1, "e": null, "f": [{}] } }),
            ),
            (
                json!({ "a": { "type": "object", "additionalProperties": integer } }),
                json!({ "a": { "b": 1, "c": null } }),
                json!({ "a": { "b": 1 } }),
            ),
            (
                json!({ "a": { "type": "array", "items": integer } }),
                json!({ "a": [null] }),
                json!({ "a": [null] }),
            ),
            (
                json!({ "a": kept }),
                json!({ "a": { "b": { "c": null } } }),
                json!({ "a": { "b": { "c": null } } }),
            ),
            (
                json!({ "a": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": { "b": { "type": "object" } },
                } }),
                json!({ "a": { "b": { "c": 1 }, "d": { "e": 1 } } }),
                json!({ "a": { "b": {}, "d": { "e": 1 } } }),
            ),
            (
                json!({ "a": {
                    "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "b": integer },
                } }),
                json!({ "a": { "kind": "A", "metadata": { "name": "a" }, "b": 1, "c": 1 } }),
                json!({ "a": { "kind": "A", "metadata": { "name": "a" }, "b": 1 } }),
            ),
            (
                json!({ "a": { "type": "object", "x-kubernetes-embedded-resource": true } }),
                json!({ "a": { "metadata": { "name": "", "labels": {}, "uid": "b", "c": 1 } } }),
                json!({ "a": { "metadata": { "uid": "b" } } }),
            ),
            (
                json!({ "a": kept }),
                json!({ "a": { "b": u64::MAX } }),
                json!({ "a": { "b": 18_446_744_073_709_551_615.0 } }),
            ),
        ] {
            let schema = json!({ "type": "object", "properties": schema });
            let node = Node::new(serde_json::from_value(schema.clone()).unwrap());
            let mut admitted = document.clone();
            admit(&node, &mut admitted);
            assert_eq!(admitted, expected, "{schema} {document}");
        }
    }

    #[test]
    fn pruned_fields_are_named() {
        let schema = json!({ "type": "array", "items": { "type": "object" } });
        let node = Node::new(serde_json::from_value(schema).unwrap());
        assert_eq!(admit(&node, &mut json!([{ "a": 1 }])), ["[0].a"]);
    }
}
