//! Resolution of paths in a schema.

use crate::schema::{AdditionalProperties, SchemaProps};

/// The target of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathTarget<'s, 'a> {
    /// A field with a schema.
    Field(&'s SchemaProps<'a>),
    /// A value that the schema does not describe.
    Open,
    /// No value.
    Missing,
}

impl<'s> PathTarget<'s, '_> {
    /// Returns the type of the field, if its schema has one.
    pub(super) fn type_(self) -> Option<&'s str> {
        match self {
            Self::Field(schema) => schema.type_.as_deref(),
            _ => None,
        }
    }
}

/// Resolves names and keys as the server does: to declared fields and to the values of maps.
pub(super) fn field<'s, 'a, 'n>(
    schema: &'s SchemaProps<'a>,
    steps: impl Iterator<Item = &'n str>,
) -> PathTarget<'s, 'a> {
    let mut target = PathTarget::Field(schema);
    for step in steps {
        let PathTarget::Field(schema) = target else {
            return PathTarget::Missing;
        };
        target = below(schema, step);
    }
    target
}

fn below<'s, 'a>(schema: &'s SchemaProps<'a>, step: &str) -> PathTarget<'s, 'a> {
    let has_properties = schema.properties.as_ref().is_some_and(|it| !it.is_empty());
    if has_properties {
        return schema.property(step).map_or(PathTarget::Missing, PathTarget::Field);
    }
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => PathTarget::Field(values),
        Some(AdditionalProperties::Bool(_)) => PathTarget::Open,
        None => PathTarget::Missing,
    }
}

/// Resolves names in an object, including values that the schema does not describe.
pub(super) fn value<'s, 'a, 'n>(
    schema: &'s SchemaProps<'a>,
    steps: impl Iterator<Item = &'n str>,
) -> PathTarget<'s, 'a> {
    let mut at = schema;
    for (number, step) in steps.enumerate() {
        let is_of_every_object = number == 0 && matches!(step, "metadata" | "apiVersion" | "kind");
        if is_of_every_object {
            return PathTarget::Open;
        }
        match below_value(at, step) {
            PathTarget::Field(schema) => at = schema,
            end => return end,
        }
    }
    PathTarget::Field(at)
}

/// Resolves a name in a value, including values that the schema does not describe.
pub(super) fn below_value<'s, 'a>(schema: &'s SchemaProps<'a>, step: &str) -> PathTarget<'s, 'a> {
    match below(schema, step) {
        PathTarget::Missing if schema.preserves_unknown_fields() || schema.embedded_resource => PathTarget::Open,
        target => target,
    }
}
