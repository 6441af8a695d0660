//! Markers in types that another schema hides.

use super::{super::Message, column_instead, is_type, marker};
use crate::schema::{Field, Schema, walk::part};

/// No field in a type that another schema hides from the resource has a marker that nobody reads.
///
/// Whatever stands in `owner` too, the type around it, has its markers read there.
pub const fn unread(owner: &'static Schema, type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(type_) if !contains(type_, owner) => check_fields(type_, owner),
        _ => Ok(()),
    }
}

const fn check_fields(schema: &'static Schema, owner: &'static Schema) -> Result<(), Message> {
    if !schema.summary.any() || contains(owner, schema) {
        return Ok(());
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if let Some(field) = part.field
            && matches!(field.markers, [_, ..])
        {
            return Err(unread_marker(schema, field));
        }
        if let Err(message) = check_fields(part.schema, owner) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn unread_marker(owner: &Schema, field: &Field) -> Message {
    Message::concat(&[
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
    if !type_.name.is_empty() && is_type(schema, type_) {
        return true;
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if contains(part.schema, type_) {
            return true;
        }
        at += 1;
    }
    false
}
