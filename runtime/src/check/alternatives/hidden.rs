//! Variants that may be anything where others have different rules: then one schema says that all may be.

use super::{
    super::walk::{Kind, Place, field, is_open, kind},
    conflict::{Conflict, What},
};
use crate::schema::{Alternative, Schema, Shape, Tagging};

/// Whether some other variant before the later one of two leaves nothing of what they differ in.
pub(super) const fn is_hidden(
    conflict: &Conflict,
    tagging: Tagging,
    alternatives: &[Alternative],
    [one, other]: [usize; 2],
) -> bool {
    if let What::Kinds(_) = conflict.what {
        return false;
    }
    let mut at = 0;
    while at < other {
        let variant = &alternatives[at];
        if let Some(content) = variant.content
            && at != one
            && may_be_anything(variant.tagging(tagging), content, conflict.field)
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the data of a variant, or a field of it, may be anything.
const fn may_be_anything(tagging: Tagging, content: &'static Schema, name: Option<&str>) -> bool {
    let place = match (tagging, name) {
        (Tagging::External, _) => return false,
        (Tagging::Internal(_) | Tagging::Untagged, Some(name)) => field(content, &[], name),
        _ => Place::Value(content, &[]),
    };
    match place {
        Place::Value(schema, keywords) => is_open(keywords) || is_partly_open(schema),
        Place::Opaque | Place::Content(_) => true,
        _ => matches!(kind(content), Kind::Opaque),
    }
}

/// Whether a part of the values can be anything.
const fn is_partly_open(schema: &Schema) -> bool {
    if is_open(schema.keywords) {
        return true;
    }
    match schema.shape {
        Shape::Any | Shape::Foreign(_) => true,
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => is_partly_open(inner),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if is_open(fields[at].keywords) || is_partly_open(fields[at].schema) {
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
                    && is_partly_open(content)
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
