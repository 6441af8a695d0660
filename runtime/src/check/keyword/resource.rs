//! Whether an object can be a resource of its own.

use crate::{
    check::{
        Message,
        walk::{Kind, field_named, is_open, kind, peel},
    },
    schema::{Schema, Shape},
};

/// The fields that every resource has are what they are in every resource.
///
/// From the API server's rules on `x-kubernetes-embedded-resource`.
pub(super) const fn fields(schema: &'static Schema) -> Result<(), Message> {
    let Shape::Object(fields) = peel(schema).shape else {
        return Ok(());
    };
    if fields.is_empty() && !is_open(schema.keywords) {
        return Err(Message::of(&[
            "`",
            schema.name,
            "` has no fields, so that nothing of the resource would be kept",
        ]));
    }
    let texts = ["apiVersion", "kind"];
    let mut at = 0;
    while at < texts.len() {
        if let Some(kind) = kind_of(schema, texts[at])
            && !matches!(kind, Kind::String | Kind::Opaque)
        {
            return Err(wrong(texts[at], kind, "a string"));
        }
        at += 1;
    }
    match kind_of(schema, "metadata") {
        None | Some(Kind::Object | Kind::Map | Kind::Opaque) => Ok(()),
        Some(kind) => Err(wrong("metadata", kind, "an object")),
    }
}

const fn kind_of(schema: &'static Schema, name: &str) -> Option<Kind> {
    match field_named(schema, name) {
        Some(field) if !is_open(field.keywords) => Some(kind(field.schema)),
        _ => None,
    }
}

const fn wrong(name: &str, kind: Kind, expected: &str) -> Message {
    Message::of(&[
        "`",
        name,
        "` is ",
        kind.name(),
        ", and of a resource it is ",
        expected,
    ])
}
