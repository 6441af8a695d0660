//! What validations ask of the type of a field.

use super::{Kind, Message, field_kind};
use crate::schema::Schema;

/// The field has a length.
pub const fn has_size(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        kind @ (Kind::Boolean | Kind::Integer | Kind::Number) => refuse(
            kind,
            "a length is that of text, of a list, of a map or of an object",
        ),
        _ => Ok(()),
    }
}

/// The field is a number.
pub const fn is_number(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        Kind::Integer | Kind::Number | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(kind, "a range is that of a number"),
    }
}

/// The field is text.
pub const fn is_text(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        Kind::String | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(kind, "only text has a form that can be asked for"),
    }
}

/// The field is a list.
pub const fn is_list(schema: &Schema, field: usize) -> Result<(), Message> {
    match field_kind(schema, field) {
        Kind::List | Kind::Opaque => Ok(()),
        kind => refuse(kind, "`inner` is about the items of a list"),
    }
}

const fn refuse(kind: Kind, why: &str) -> Result<(), Message> {
    Err(Message::of(&["the field is ", kind.name(), ": ", why]))
}
