//! Where paths of a definition lead in its schema.

use crate::schema::{Additional, SchemaProps};

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'s, 'a> {
    /// To a field with a schema.
    Field(&'s SchemaProps<'a>),
    /// To a value that the schema says nothing of.
    Open,
    /// To nothing.
    Missing,
}

impl<'s> Target<'s, '_> {
    /// The type of the field, if its schema has one.
    pub(super) fn type_(self) -> Option<&'s str> {
        match self {
            Self::Field(schema) => schema.type_.as_deref(),
            _ => None,
        }
    }
}

/// Where names and keys lead, as the server follows them: to fields that are declared, and to the values of maps.
pub(super) fn field<'s, 'a, 'n>(schema: &'s SchemaProps<'a>, steps: impl Iterator<Item = &'n str>) -> Target<'s, 'a> {
    let mut target = Target::Field(schema);
    for step in steps {
        let Target::Field(schema) = target else {
            return Target::Missing;
        };
        target = below(schema, step);
    }
    target
}

fn below<'s, 'a>(schema: &'s SchemaProps<'a>, step: &str) -> Target<'s, 'a> {
    let has_properties = schema.properties.as_ref().is_some_and(|it| !it.is_empty());
    if has_properties {
        return schema.property(step).map_or(Target::Missing, Target::Field);
    }
    match &schema.additional_properties {
        Some(Additional::Schema(values)) => Target::Field(values),
        Some(Additional::Bool(_)) => Target::Open,
        None => Target::Missing,
    }
}

/// Where names lead in an object, whatever the schema declares of it.
pub(super) fn value<'s, 'a, 'n>(schema: &'s SchemaProps<'a>, steps: impl Iterator<Item = &'n str>) -> Target<'s, 'a> {
    let mut at = schema;
    for (number, step) in steps.enumerate() {
        let is_of_every_object = number == 0 && matches!(step, "metadata" | "apiVersion" | "kind");
        if is_of_every_object {
            return Target::Open;
        }
        match below_value(at, step) {
            Target::Field(schema) => at = schema,
            end => return end,
        }
    }
    Target::Field(at)
}

/// Where a name leads in a value, whatever the schema declares of it.
pub(super) fn below_value<'s, 'a>(schema: &'s SchemaProps<'a>, step: &str) -> Target<'s, 'a> {
    match below(schema, step) {
        Target::Missing if schema.preserves_unknown_fields() || schema.embedded_resource => Target::Open,
        target => target,
    }
}
