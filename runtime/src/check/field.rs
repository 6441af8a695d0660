//! What attributes of a field ask of its type.

use super::{
    Message, Step,
    walk::{Kind, Place, is_open, kind, peel, step},
};
use crate::schema::{Field, Keyword, Schema, Shape};

mod validation;

pub use validation::{has_size, is_list, is_number, is_text};

/// A column can show the field.
pub const fn column(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        Kind::Opaque if is_any(schema, field) => Err(Message::of(&[
            "the field is any value, and a column needs a type: name it on the resource, \
             `printcolumn(name = \"...\", type_ = \"...\", json_path = \"...\")`",
        ])),
        kind @ (Kind::List | Kind::Map | Kind::Object) => Err(Message::of(&[
            "the field is ",
            kind.name(),
            ": a column shows a boolean, a number or a string",
        ])),
        _ => Ok(()),
    }
}

/// The server can select objects by the field.
pub const fn selectable(schema: &Schema, field: usize) -> Result<(), Message> {
    selectable_kind(field_kind(schema, field))
}

/// The field can hold a number of replicas.
pub const fn scale_replicas(schema: &Schema, field: usize) -> Result<(), Message> {
    replicas_kind(field_kind(schema, field))
}

/// The field can hold a label selector.
pub const fn scale_selector(schema: &Schema, field: usize) -> Result<(), Message> {
    selector_kind(field_kind(schema, field))
}

pub(super) const fn selectable_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Boolean | Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "the field is ",
            kind.name(),
            ": the server selects by strings, booleans and integers only",
        ])),
    }
}

pub(super) const fn replicas_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "the field is ",
            kind.name(),
            ": the scale subresource needs an integer here, such as `i32`",
        ])),
    }
}

pub(super) const fn selector_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "the field is ",
            kind.name(),
            ": the scale subresource needs a string here, the label selector in its text form",
        ])),
    }
}

const fn field_at(schema: &Schema, field: usize) -> Option<&Field> {
    match schema.shape {
        Shape::Object(fields) => Some(&fields[field]),
        _ => None,
    }
}

const fn is_any(schema: &Schema, field: usize) -> bool {
    match field_at(schema, field) {
        Some(field) => matches!(peel(field.schema).shape, Shape::Any),
        None => false,
    }
}

const fn field_kind(schema: &Schema, field: usize) -> Kind {
    match field_at(schema, field) {
        Some(field) if !is_open(field.keywords) => kind(field.schema),
        _ => Kind::Opaque,
    }
}

/// A list can be merged as one.
pub const fn list_atomic(schema: &Schema, field: usize) -> Result<(), Message> {
    match list(schema, field) {
        Ok(_) => Ok(()),
        Err(message) => Err(message),
    }
}

/// The items of a map list are objects.
pub const fn list_map(schema: &Schema, field: usize) -> Result<(), Message> {
    let items = match list(schema, field) {
        Ok(Some(items)) => items,
        Ok(None) => return Ok(()),
        Err(message) => return Err(message),
    };
    if items.optional {
        return Err(Message::of(&["the items of a map list cannot be null"]));
    }
    match kind(items) {
        Kind::Object | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "each item is ",
            kind.name(),
            ": only objects have keys to tell them apart",
        ])),
    }
}

/// The items of a map list can be told apart by this key.
///
/// From the API server's rules on `x-kubernetes-list-map-keys`.
pub const fn list_map_key(schema: &Schema, field: usize, key: &'static str) -> Result<(), Message> {
    match list(schema, field) {
        Ok(Some(items)) => map_key(items, key),
        Ok(None) | Err(_) => Ok(()), // said by `list_map`
    }
}

/// A map or an object can be merged by its fields, or as one.
pub const fn map_merge(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        Kind::Map | Kind::Object | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "the field is ",
            kind.name(),
            ": only maps and objects have a map type",
        ])),
    }
}

/// The items of the field's list; none if its schema is not known while compiling.
const fn list(schema: &Schema, field: usize) -> Result<Option<&'static Schema>, Message> {
    let Some(field) = field_at(schema, field) else {
        return Ok(None);
    };
    match peel(field.schema).shape {
        Shape::List(items) | Shape::Tuple(&[items, ..]) => Ok(Some(items)),
        Shape::Any | Shape::Foreign(_) => Ok(None),
        Shape::OneOf(..) if matches!(kind(field.schema), Kind::List | Kind::Opaque) => Ok(None),
        _ => Err(Message::of(&[
            "the field is ",
            kind(field.schema).name(),
            ": only lists have a list type",
        ])),
    }
}

const fn map_key(items: &'static Schema, key: &'static str) -> Result<(), Message> {
    match step(items, &[], Step::Field(key)) {
        Place::Opaque | Place::Content(_) | Place::MissingAtRoot | Place::Wrong(_) => Ok(()),
        Place::Missing(object) => {
            let message = Message::of(&["`", object.name, "` has no field `", key, "`"]);
            Err(super::nearest::suggest(message, object, key))
        }
        Place::Value(schema, _) => scalar_key(items, schema, key),
    }
}

const fn scalar_key(
    items: &'static Schema,
    schema: &Schema,
    key: &'static str,
) -> Result<(), Message> {
    if let kind @ (Kind::List | Kind::Map | Kind::Object) = kind(schema) {
        return Err(Message::of(&[
            "the key `",
            key,
            "` is ",
            kind.name(),
            ": a key is a boolean, a number or a string",
        ]));
    }
    if schema.optional {
        return Err(Message::of(&[
            "the key `",
            key,
            "` may be null: a key is a field that is there, or has a default",
        ]));
    }
    if let Some(field) = super::walk::field_named(items, key)
        && !field.is_required()
        && !has_default(field.keywords)
    {
        return Err(Message::of(&[
            "the key `",
            key,
            "` may be missing: a key is a field that is there, or has a default",
        ]));
    }
    Ok(())
}

const fn has_default(keywords: &[Keyword]) -> bool {
    let mut at = 0;
    while at < keywords.len() {
        if let Keyword::Default(_) = keywords[at] {
            return true;
        }
        at += 1;
    }
    false
}

/// The items of a set are scalars.
pub const fn list_set(schema: &Schema, field: usize) -> Result<(), Message> {
    let items = match list(schema, field) {
        Ok(Some(items)) => items,
        Ok(None) => return Ok(()),
        Err(message) => return Err(message),
    };
    if items.optional {
        return Err(Message::of(&["the items of a set cannot be null"]));
    }
    match kind(items) {
        kind @ (Kind::List | Kind::Map | Kind::Object) => Err(Message::of(&[
            "each item is ",
            kind.name(),
            ": the items of a set are booleans, numbers or strings",
        ])),
        _ => Ok(()),
    }
}
