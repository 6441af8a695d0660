//! What validations ask of the value that they are written on.

use super::{Kind, Message};
use crate::check::keyword::{Subject, noun};

/// The value has a length.
pub const fn has_size(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        kind @ (Kind::Boolean | Kind::Integer | Kind::Number) => {
            refuse(subject, kind, "a length is that of text, of a list, of a map or of an object")
        }
        _ => Ok(()),
    }
}

/// The value is a number.
pub const fn is_number(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::Integer | Kind::Number | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "a range is that of a number"),
    }
}

/// The value is text.
pub const fn is_text(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::String | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "only text has a form that can be asked for"),
    }
}

/// The value is a list.
pub const fn is_list(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::List | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "`inner` is about the items of a list"),
    }
}

const fn refuse(subject: Subject, kind: Kind, why: &str) -> Result<(), Message> {
    Err(Message::concat(&[noun(&subject), kind.name(), ": ", why]))
}
