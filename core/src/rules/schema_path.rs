//! Resolution of paths in a schema.

use crate::{
    schema::{AdditionalProperties, Kind, SchemaProps},
    suggest::nearest_by,
    violation::Arg,
};

/// The target of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathTarget<'s, 'a> {
    /// A field with a schema.
    Field(&'s SchemaProps<'a>),
    /// A value that the schema does not describe.
    Open,
    /// No value. The field that may have been meant, by its name.
    Missing(Option<&'s str>),
}

impl PathTarget<'_, '_> {
    /// Returns the kind of the field.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Field(schema) => {
                Kind::of_type(schema.type_.as_deref(), schema.int_or_string && schema.type_.as_deref().is_none())
            }
            _ => Kind::Opaque,
        }
    }
}

/// Returns the words for the field at a path in a message; for an empty path those for the annotated field.
pub(super) const fn field_noun(path: &str) -> [Arg<'_>; 3] {
    if path.is_empty() {
        [Arg::Text("this field"), Arg::None, Arg::None]
    } else {
        [Arg::Text("`"), Arg::Text(path), Arg::Text("`")]
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
            return PathTarget::Missing(None);
        };
        target = below(schema, step);
    }
    target
}

fn below<'s, 'a>(schema: &'s SchemaProps<'a>, step: &str) -> PathTarget<'s, 'a> {
    let has_properties = schema.properties.as_ref().is_some_and(|it| !it.is_empty());
    if has_properties {
        return match schema.property(step) {
            Some(property) => PathTarget::Field(property),
            None => PathTarget::Missing(nearest(schema, step)),
        };
    }
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => PathTarget::Field(values),
        Some(AdditionalProperties::Bool(_)) => PathTarget::Open,
        None => PathTarget::Missing(None),
    }
}

fn nearest<'s>(schema: &'s SchemaProps<'_>, name: &str) -> Option<&'s str> {
    let names = schema.properties.iter().flatten().map(|(name, _)| &**name);
    nearest_by(name, names, |name| name)
}

/// Returns the end of a message about a missing field: the field that may have been meant.
pub(super) const fn meant(name: Option<&str>) -> [Arg<'_>; 3] {
    match name {
        Some(name) => [Arg::Text(": did you mean `"), Arg::Text(name), Arg::Text("`?")],
        None => [Arg::None, Arg::None, Arg::None],
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
        PathTarget::Missing(_) if schema.preserves_unknown_fields() || schema.embedded_resource => PathTarget::Open,
        target => target,
    }
}
