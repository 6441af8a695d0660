//! Traversal of a value together with its schema.

use super::{ValuePath, value_path::ValueStep};
use crate::{json::Json, schema::SchemaProps};

/// Which schemas apply to a field that both `properties` and `additionalProperties` describe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    /// The one in `properties`.
    Once,
    /// Both.
    Twice,
}

/// Calls `visit` for a value and all nested values that have a schema.
pub(super) fn visit_values(
    schema: &SchemaProps<'_>,
    value: &Json<'_>,
    path: &ValuePath<'_>,
    described: Overlap,
    visit: &mut dyn FnMut(&SchemaProps<'_>, &Json<'_>, &ValuePath<'_>),
) {
    visit(schema, value, path);
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                let property = schema.property(name);
                let has_place = property.is_none() || described == Overlap::Twice;
                if let Some(values) = schema.values().filter(|_| has_place) {
                    visit_values(values, value, &path.then(ValueStep::Entry(name)), described, visit);
                }
                if let Some(property) = property {
                    visit_values(property, value, &path.then(ValueStep::Field(name)), described, visit);
                }
            }
        }
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                for (at, item) in items.iter().enumerate() {
                    visit_values(of_items, item, &path.then(ValueStep::Item(at)), described, visit);
                }
            }
        }
        _ => {}
    }
}
