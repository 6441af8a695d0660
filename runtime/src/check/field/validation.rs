//! Checks of validations against their value.

use super::{Kind, Message};
use crate::check::keyword::{Subject, describe};

/// Checks that the value has a length.
pub const fn has_size(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        kind @ (Kind::Boolean | Kind::Integer | Kind::Number) => {
            refuse(subject, kind, "`length` applies to strings, lists, maps and objects")
        }
        _ => Ok(()),
    }
}

/// Checks that the value is a number.
pub const fn is_number(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::Integer | Kind::Number | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "`range` applies to numbers"),
    }
}

/// Checks that the value is a string.
pub const fn is_text(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::String | Kind::IntOrString | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "the validation of a format applies to strings"),
    }
}

/// Checks that the value is a list.
pub const fn is_list(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::List | Kind::Opaque => Ok(()),
        kind => refuse(subject, kind, "`inner` applies to lists"),
    }
}

const fn refuse(subject: Subject, kind: Kind, what: &str) -> Result<(), Message> {
    Err(Message::concat(&[what, ", but "]).then(describe(&subject, kind).as_str()))
}
