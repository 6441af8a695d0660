//! Whether a value passes a schema: what the server calls value validation.

use crdkit_core::{admission, schema::SchemaProps};
use serde_json::{Map, Value};

use super::node::Node;
use crate::{admission::mismatch, props::read};

/// Why a value does not pass.
#[derive(Debug, PartialEq)]
pub(super) struct Mismatch {
    /// The place, such as `.spec.size`; empty for the whole value.
    pub(super) path: String,
    pub(super) message: String,
}

/// Whether a value passes, which the server has admitted already.
pub(super) fn check(node: &Node, value: &Value) -> Result<(), Mismatch> {
    match mismatch(&node.schema, &read::json(value)) {
        None => Ok(()),
        Some(finding) => Err(Mismatch {
            message: finding.to_string(),
            // Of a list, the server writes a dot before the first index.
            path: finding.place.replacen(".[", "[", 1),
        }),
    }
}

/// Whether a list has no item twice where its list type forbids it.
pub(super) fn is_unique(node: &Node, list: &Value) -> bool {
    admission::validate_list_types(&node.schema, &read::json(list)).is_empty()
}

/// Whether the members have what the server asks of each resource.
pub(super) fn is_resource(members: &Map<String, Value>) -> bool {
    let schema = SchemaProps { embedded_resource: true, ..SchemaProps::default() };
    let members = Value::Object(members.clone());
    admission::validate_resources(&schema, &read::json(&members)).is_empty()
}

#[cfg(test)]
mod tests;
