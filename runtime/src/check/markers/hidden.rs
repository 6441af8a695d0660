//! Markers in types that another schema hides.

use super::{super::Message, column_instead, marker};
use crdkit_core::text::equal;

use crate::schema::{Field, Schema, Shape};

/// No field in a type that another schema hides from the resource has a marker that nobody reads.
///
/// Whatever stands in `owner` too, the type around it, has its markers read there.
pub const fn hidden(owner: &'static Schema, type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(type_) if !contains(type_, owner) => unread(type_, owner),
        _ => Ok(()),
    }
}

const fn unread(schema: &'static Schema, owner: &'static Schema) -> Result<(), Message> {
    match schema.shape {
        _ if !schema.marks.any() || contains(owner, schema) => Ok(()),
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => unread(inner, owner),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if matches!(fields[at].markers, [_, ..]) {
                    return Err(nobody_reads(schema, &fields[at]));
                }
                if let Err(message) = unread(fields[at].schema, owner) {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        Shape::OneOf(_, alternatives) => {
            let mut at = 0;
            while at < alternatives.len() {
                if let Some(content) = alternatives[at].content
                    && let Err(message) = unread(content, owner)
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

const fn nobody_reads(owner: &Schema, field: &Field) -> Message {
    Message::of(&[
        "`",
        owner.name,
        "` stands where another schema hides it, and nobody reads `#[crd(",
        marker(field),
        ")]` of its field `",
        field.name,
        "` there: remove it",
        column_instead(field),
    ])
}

/// Whether a type stands in a tree, lists and maps included.
const fn contains(schema: &'static Schema, type_: &Schema) -> bool {
    if !type_.name.is_empty() && equal(schema.name, type_.name) && equal(schema.path, type_.path) {
        return true;
    }
    match schema.shape {
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => contains(inner, type_),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if contains(fields[at].schema, type_) {
                    return true;
                }
                at += 1;
            }
            false
        }
        Shape::OneOf(_, alternatives) => {
            let mut at = 0;
            while at < alternatives.len() {
                if let Some(content) = alternatives[at].content
                    && contains(content, type_)
                {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}
