//! Fields of the spec that stand at the root (`no_spec`).

use super::Message;
use crate::{
    definition::{Definition, RootSchema},
    schema::{
        Field, Schema, Shape,
        walk::{Location, Value, find, strip_newtypes},
    },
};

const ROOT_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// A flattened field of the spec brings nothing to the root that the server refuses there.
///
/// From its rules on the root of a schema: the fields of every object are what they are, and beside a status subresource no
/// `anyOf`, `oneOf` or `not` stands.
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
    match definition.status {
        true => no_conditions(&fields[at]),
        false => Ok(()),
    }
}

/// A field of a type that stands at the root, where another one of that name stands.
pub(crate) const fn conflicts_with_root_field(type_: &str, name: &str) -> Message {
    Message::concat(&[
        "with `no_spec` the fields of `",
        type_,
        "` stand at the root, which has a `",
        name,
        "` of its own: rename that one",
    ])
}

const fn no_conditions(field: &Field) -> Result<(), Message> {
    let schema = field.schema;
    match strip_newtypes(schema).shape {
        Shape::OneOf(..) => Err(condition(schema, "one of its variants is there")),
        Shape::Object(fields) if schema.optional && requires_any(fields) => {
            Err(condition(schema, "its fields are there together"))
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

const fn condition(schema: &Schema, what: &str) -> Message {
    Message::concat(&[
        "with `no_spec` the fields of `",
        schema.name,
        "` stand at the root, where the server takes no schema that says that ",
        what,
        " beside a status subresource: give it a field of its own",
    ])
}
