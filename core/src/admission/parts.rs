//! The parts of a value, each with its schema.

use super::{Way, way::Step};
use crate::{json::Json, schema::SchemaProps};

/// What schemas a field is held to that both `properties` and `additionalProperties` describe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    /// That of its name.
    Once,
    /// Both.
    Twice,
}

/// Calls `visit` with a value and each value within it that has a schema.
pub(super) fn each(
    schema: &SchemaProps<'_>,
    value: &Json<'_>,
    way: &Way<'_>,
    described: Described,
    visit: &mut dyn FnMut(&SchemaProps<'_>, &Json<'_>, &Way<'_>),
) {
    visit(schema, value, way);
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                let property = schema.property(name);
                let has_place = property.is_none() || described == Described::Twice;
                if let Some(values) = schema.values().filter(|_| has_place) {
                    each(values, value, &way.then(Step::Entry(name)), described, visit);
                }
                if let Some(property) = property {
                    each(property, value, &way.then(Step::Field(name)), described, visit);
                }
            }
        }
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                for (at, item) in items.iter().enumerate() {
                    each(of_items, item, &way.then(Step::Item(at)), described, visit);
                }
            }
        }
        _ => {}
    }
}
