//! What attributes of a field ask of its type.

use super::Message;
use crate::schema::walk::{self, Kind, is_open, kind};
use crate::schema::{Field, Schema, Shape};

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
    match is_any(schema, field) {
        true => Err(selectable_any()),
        false => selectable_kind(field_kind(schema, field)),
    }
}

/// Values without a type are none to select by.
pub(super) const fn selectable_any() -> Message {
    Message::of(&[
        "the field is any value: the server selects by strings, booleans and integers only",
    ])
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
        Some(field) => walk::is_any(field.schema, field.keywords),
        None => false,
    }
}

const fn field_kind(schema: &Schema, field: usize) -> Kind {
    match field_at(schema, field) {
        Some(field) if !is_open(field.keywords) => kind(field.schema),
        _ => Kind::Opaque,
    }
}
