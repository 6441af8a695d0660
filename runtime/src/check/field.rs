//! Checks of attributes against the type of their field.

use super::Message;
use crate::schema::{
    Schema,
    walk::{Kind, Value},
};

mod validation;

pub use validation::{has_size, is_list, is_number, is_text};

/// Checks that a column can show the field.
pub const fn column(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    match value.kind() {
        Kind::Opaque if value.is_any() => Err(Message::concat(&[
            "a column requires a type, but this field can be any value: specify the type on the resource, \
             `printcolumn(name = \"...\", type_ = \"...\", json_path = \"...\")`",
        ])),
        kind @ (Kind::List | Kind::Map | Kind::Object) => {
            Err(Message::concat(&["a column shows a boolean, a number or a string, but this field is ", kind.name()]))
        }
        _ => Ok(()),
    }
}

/// Checks that the server can select objects by the field.
pub const fn selectable(schema: &'static Schema, field: usize) -> Result<(), Message> {
    let value = value(schema, field);
    match value.is_any() {
        true => Err(selectable_any()),
        false => selectable_kind(value.kind()),
    }
}

/// The message for a field that may have any value.
pub(super) const fn selectable_any() -> Message {
    Message::concat(&["the server selects by strings, booleans and integers only, but this field can be any value"])
}

/// Checks that the field can be a replica count.
pub const fn scale_replicas(schema: &'static Schema, field: usize) -> Result<(), Message> {
    replicas_kind(value(schema, field).kind())
}

/// Checks that the field can be a label selector.
pub const fn scale_selector(schema: &'static Schema, field: usize) -> Result<(), Message> {
    selector_kind(value(schema, field).kind())
}

pub(super) const fn selectable_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Boolean | Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the server selects by strings, booleans and integers only, but this field is ",
            kind.name(),
        ])),
    }
}

pub(super) const fn replicas_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::Integer | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the scale subresource requires an integer, such as `i32`, but this field is ",
            kind.name(),
        ])),
    }
}

pub(super) const fn selector_kind(kind: Kind) -> Result<(), Message> {
    match kind {
        Kind::String | Kind::Opaque => Ok(()),
        kind => Err(Message::concat(&[
            "the scale subresource requires the label selector as a string, but this field is ",
            kind.name(),
        ])),
    }
}

const fn value(schema: &'static Schema, field: usize) -> Value {
    Value::of_field(schema, field, &[])
}
