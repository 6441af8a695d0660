//! Suggestions for fields that do not exist.

use crdkit_core::suggest::Nearest;

use super::Message;
use crate::schema::Schema;
use crate::schema::walk::{
    strip_newtypes,
    variants::{Name, name as names},
};

/// The message for an object that has no field with this name.
pub(crate) const fn missing(object: &Schema, name: &str) -> Message {
    let owner = if object.name.is_empty() { "the object" } else { object.name };
    let message = Message::concat(&["`", owner, "` has no field `", name, "`"]);
    suggest(message, object, name)
}

/// Appends the field with the most similar name, or a list of all fields.
const fn suggest(message: Message, schema: &Schema, name: &str) -> Message {
    if let Some(meant) = nearest(schema, Nearest::to(name)).found() {
        return message.then(": did you mean `").then(meant).then("`?");
    }
    let listed = list(schema, message.then("; it has "), 0);
    if listed.1 == 0 {
        return message.then("; it has none");
    }
    listed.0
}

const fn nearest<'a>(schema: &Schema, mut best: Nearest<'a, 'static>) -> Nearest<'a, 'static> {
    let schema = strip_newtypes(schema);
    let mut at = 0;
    while let Some(member) = names(schema, at) {
        match member {
            Name::Of(known) => best = best.or(known),
            Name::In(schema) => best = nearest(schema, best),
            Name::Nothing => {}
        }
        at += 1;
    }
    best
}

/// Appends the names of the fields, and returns their number.
const fn list(schema: &Schema, mut message: Message, mut count: usize) -> (Message, usize) {
    let schema = strip_newtypes(schema);
    let mut at = 0;
    while let Some(member) = names(schema, at) {
        match member {
            Name::Of(name) => {
                let separator = if count == 0 { "`" } else { ", `" };
                message = message.then(separator).then(name).then("`");
                count += 1;
            }
            Name::In(schema) => (message, count) = list(schema, message, count),
            Name::Nothing => {}
        }
        at += 1;
    }
    (message, count)
}
