//! Markers in types whose schema is replaced with another one.

use super::{super::Message, column_instead, is_type, marker};
use crate::schema::{Field, Schema, walk::part};

/// Checks that no field of a type whose schema is replaced has a marker, which would have no effect.
///
/// Types that also occur elsewhere in `owner`, the enclosing type, are exempt.
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
        "`#[crd(",
        marker(field),
        ")]` on the field `",
        field.name,
        "` of `",
        owner.name,
        "` has no effect here, because another schema replaces that of `",
        owner.name,
        "`: remove it",
        column_instead(field),
    ])
}

/// Whether a type occurs in a schema, including in lists and maps.
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
