//! Validates a value against a schema, as the server does.

use crdkit_core::{object_processing, schema::SchemaProps};
use serde_json::{Map, Value};

use crate::crd::{crd_accessors::read, generate::node::SchemaNode, object_processing::mismatch};

/// A mismatch between a value and a schema.
#[derive(Debug, PartialEq)]
pub(crate) struct Mismatch {
    /// The path, such as `.spec.size`; empty for the root.
    pub(crate) path: String,
    pub(crate) message: String,
}

/// Validates a value that the server has already admitted.
pub(crate) fn check(node: &SchemaNode, value: &Value) -> Result<(), Mismatch> {
    match mismatch(&node.schema, &read::json(value)) {
        None => check_keys(node, value, ""),
        Some(finding) => Err(Mismatch {
            message: finding.to_string(),
            // For a list, the server writes a dot before the first index.
            path: finding.place.replacen(".[", "[", 1),
        }),
    }
}

/// Checks whether map keys match their patterns. These are CEL rules, but need no CEL for the check.
fn check_keys(node: &SchemaNode, value: &Value, path: &str) -> Result<(), Mismatch> {
    match value {
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            if node.key_patterns.iter().any(|pattern| !pattern.is_match(name)) {
                let message = format!("the key {name:?} does not match the pattern of keys");
                return Err(Mismatch { path: path.to_owned(), message });
            }
            let member = node.member(name);
            member.map_or(Ok(()), |member| check_keys(member, value, &format!("{path}.{name}")))
        }),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| {
            let of_items = node.items.as_deref();
            of_items.map_or(Ok(()), |of_items| check_keys(of_items, item, &format!("{path}[{at}]")))
        }),
        _ => Ok(()),
    }
}

/// Returns whether the items of a list are unique, if its list type requires that.
pub(crate) fn is_unique(node: &SchemaNode, list: &Value) -> bool {
    object_processing::validate_list_types(&node.schema, &read::json(list)).is_empty()
}

/// Returns whether the members include the required fields of a resource.
pub(crate) fn is_resource(members: &Map<String, Value>) -> bool {
    let schema = SchemaProps { embedded_resource: true, ..SchemaProps::default() };
    let members = Value::Object(members.clone());
    object_processing::validate_resources(&schema, &read::json(&members)).is_empty()
}

#[cfg(test)]
mod tests;
