//! What attributes of a field ask of its type.

use super::Message;
use crate::schema::{
    Schema,
    walk::{Kind, Value},
};

mod validation;

pub use validation::{has_size, is_list, is_number, is_text};

/// A column can show the field.
pub const fn column(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    match value.kind() {
        Kind::Opaque if value.is_any() => {
            Err(Message::concat(&["the field is any value, and a column needs a type: name it on the resource, \
             `printcolumn(name = \"...\", type_ = \"...\", json_path = \"...\")`"]))
        }
        kind @ (Kind::List | Kind::Map | Kind::Object) => {
            Err(Message::concat(&["the field is ", kind.name(), ": a column shows a boolean, a number or a string"]))
        }
        _ => Ok(()),
    }
}

/// The server can select objects by the field.
pub const fn selectable(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    match value.is_any() {
        true => Err(selectable_any()),
        false => selectable_kind(value.kind()),
    }
}

/// Values without a type are none to select by.
pub(super) const fn selectable_any() -> Message {
    Message::concat(&["the field is any value: the server selects by strings, booleans and integers only"])
}

/// The field can hold a number of replicas.
pub const fn scale_replicas(schema: &'static Schema, field: usize) -> Result<(), Message> {
    replicas_kind(value(schema, field).kind())
}

/// The field can hold a label selector.
pub const fn scale_selector(schema: &'static Schema, field: usize) -> Result<(), Message> {
    selector_kind(value(schema, field).kind())
}

pub(super) const fn selectable_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Boolean | Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the field is ",
            kind.name(),
            ": the server selects by strings, booleans and integers only",
        ])),
    }
}

pub(super) const fn replicas_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the field is ",
            kind.name(),
            ": the scale subresource needs an integer here, such as `i32`",
        ])),
    }
}

pub(super) const fn selector_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the field is ",
            kind.name(),
            ": the scale subresource needs a string here, the label selector in its text form",
        ])),
    }
}

const fn value(schema: &'static Schema, field: usize) -> Value {
    Value::of_field(schema, field, &[])
}
