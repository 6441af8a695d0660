//! Checks of specs whose fields are at the root (`no_spec`).

use super::Message;
use crate::{
    resource::definition::{Definition, RootSchema},
    schema::{
        Field, Schema, Shape,
        walk::{Location, Value, find, strip_newtypes},
    },
};

const ROOT_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Checks that a flattened field of the spec adds nothing to the root that the server rejects there.
///
/// See the API server's rules on root schemas: `apiVersion`, `kind` and `metadata` are fixed, and with a status
/// subresource, `anyOf`, `oneOf` and `not` are not allowed.
pub const fn flattened(definition: &Definition, at: usize) -> Result<(), Message> {
    let RootSchema::Derived(root) = &definition.schema else {
        return Ok(());
    };
    let Shape::Object(fields) = strip_newtypes(root.spec).shape else {
        return Ok(());
    };
    let schema = fields[at].schema;
    let mut own = 0;
    while own < ROOT_FIELDS.len() {
        if let Some(Location::At(_)) = find(&Value::of(schema), ROOT_FIELDS[own]) {
            return Err(conflicts_with_root_field(schema.name, ROOT_FIELDS[own]));
        }
        own += 1;
    }
    if definition.status { no_conditions(&fields[at]) } else { Ok(()) }
}

/// The message for a field with the name of another field of the root.
pub(crate) const fn conflicts_with_root_field(type_: &str, name: &str) -> Message {
    Message::concat(&[
        "with `no_spec`, the fields of `",
        type_,
        "` are at the root, which already has a field `",
        name,
        "`: rename the field",
    ])
}

const fn no_conditions(field: &Field) -> Result<(), Message> {
    let schema = field.schema;
    match strip_newtypes(schema).shape {
        Shape::OneOf(..) => Err(condition(schema, "one of its variants is set")),
        Shape::Object(fields) if schema.optional && requires_any(fields) => {
            Err(condition(schema, "its fields are set together"))
        }
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if fields[at].flatten
                    && let Err(message) = no_conditions(&fields[at])
                {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

const fn requires_any(fields: &[Field]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if !fields[at].flatten && fields[at].is_required() {
            return true;
        }
        at += 1;
    }
    false
}

const fn condition(schema: &Schema, requirement: &str) -> Message {
    Message::concat(&[
        "with `no_spec`, the fields of `",
        schema.name,
        "` are at the root, where a schema next to a status subresource cannot require that ",
        requirement,
        ": do not flatten it",
    ])
}
