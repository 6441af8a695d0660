//! What certainly differs in two fields of one name.

use super::{
    found::{Found, find},
    names::{Names, Text},
};
use crate::{
    check::{
        MISTAKEN, Message,
        alternatives::{Member, member},
        keyword::have_other_bounds,
        rules::{self, Value},
        text::equal,
        walk::{self, Kind, Place, peel},
    },
    schema::{Field, Keyword, Presence, Schema, Shape, any_keyword},
};

/// What differs.
pub(super) struct Difference {
    /// Where, below the fields.
    pub(super) path: Message,
    pub(super) what: What,
}

#[derive(Clone, Copy)]
pub(super) enum What {
    Kinds([Kind; 2]),
    /// Only the first or the second one may be this text.
    Text(Text, Side),
    Bounds,
    /// Only the value at the first or at the second one may be null.
    Null(Side),
    Rules(rules::Difference),
    /// Only the object at the first or at the second one has this field.
    Field(&'static str, Side),
}

/// Which of two fields.
#[derive(Clone, Copy)]
pub(super) enum Side {
    First,
    Second,
}

/// What differs for certain. Of variants that may share the field, only the kind of value is.
pub(super) const fn difference(one: &Found, other: &Found, path: Message) -> Option<Difference> {
    let is_plain = one.variant.is_none() && other.variant.is_none();
    let kinds = [one.value.kind(), other.value.kind()];
    let what = match kinds {
        [Kind::Opaque, Kind::Opaque] => return None,
        [Kind::Opaque, _] if !is_plain || !is_any(one.value) => return None,
        [_, Kind::Opaque] if !is_plain || !is_any(other.value) => return None,
        [Kind::Integer, Kind::Number] | [Kind::Number, Kind::Integer] if !is_plain => return None,
        [Kind::Map, Kind::Object] | [Kind::Object, Kind::Map] if has_keys(one, other) => {
            return None;
        }
        [a, b] if a as u8 != b as u8 => What::Kinds(kinds),
        _ if !is_plain => return None,
        [kind, _] => match of_one_kind(one, other, kind) {
            Some(what) => what,
            None => return inside(one.value, other.value, kind, path),
        },
    };
    Some(Difference { path, what })
}

/// Whether one of two values is a map that may have the form of an object.
const fn has_keys(one: &Found, other: &Found) -> bool {
    peel(one.value.schema).keys.is_some() || peel(other.value.schema).keys.is_some()
}

/// Whether the value is nothing but any value.
const fn is_any(value: Value) -> bool {
    !may_have_another_type(value.keywords) && is_any_by_type(value.schema)
}

const fn is_any_by_type(schema: &Schema) -> bool {
    !may_have_another_type(schema.keywords)
        && match schema.shape {
            Shape::Any => !equal(schema.name, MISTAKEN.name),
            Shape::Newtype(inner) => is_any_by_type(inner),
            _ => false,
        }
}

const fn may_have_another_type(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::EmbeddedResource | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

const fn of_one_kind(one: &Found, other: &Found, kind: Kind) -> Option<What> {
    if let (Kind::String, what @ Some(_)) = (kind, of_texts(one, other)) {
        return what;
    }
    if have_other_bounds(one.value, other.value) {
        return Some(What::Bounds);
    }
    match (may_be_null(one), may_be_null(other)) {
        (Some(true), Some(false)) => return Some(What::Null(Side::First)),
        (Some(false), Some(true)) => return Some(What::Null(Side::Second)),
        _ => {}
    }
    match rules::difference(one.value, other.value) {
        Some(difference) => Some(What::Rules(difference)),
        None => None,
    }
}

const fn of_texts(one: &Found, other: &Found) -> Option<What> {
    let (one, other) = (Names::of(one), Names::of(other));
    match (one.beyond(other), other.beyond(one)) {
        (Some(text), _) => Some(What::Text(text, Side::First)),
        (None, Some(text)) => Some(What::Text(text, Side::Second)),
        (None, None) => None,
    }
}

/// Whether the value may be null, as far as that is known.
const fn may_be_null(found: &Found) -> Option<bool> {
    let Value {
        schema, keywords, ..
    } = found.value;
    if found.tag_of.is_some() {
        return Some(false);
    }
    let is_known = !matches!(
        schema.shape,
        Shape::Enum(_) | Shape::OneOf(..) | Shape::Newtype(_) | Shape::Foreign(_)
    );
    if !is_known || says_more(keywords) || says_more(schema.keywords) {
        return None;
    }
    match found.field {
        Some(Field {
            presence: Presence::Required,
            ..
        }) => Some(false),
        _ => Some(schema.optional),
    }
}

/// Whether keywords may have a say in that.
const fn says_more(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::Nullable(_)
            | Keyword::Enum(_)
            | Keyword::Extend(_)
            | Keyword::Patch(_)
            | Keyword::Transform(_)
    )
}

const fn inside(a: Value, b: Value, kind: Kind, path: Message) -> Option<Difference> {
    let (one, other) = (peel(a.schema), peel(b.schema));
    match (kind, one.shape, other.shape) {
        (Kind::List, Shape::List(items), Shape::List(others)) => {
            let (one, other) = (a.inside(items), b.inside(others));
            difference(&Found::value(one), &Found::value(other), path.then("[]"))
        }
        (Kind::Map, Shape::Map(values), Shape::Map(others))
            if one.keys.is_none() && other.keys.is_none() =>
        {
            let (one, other) = (a.inside(values), b.inside(others));
            difference(&Found::value(one), &Found::value(other), path.then("[*]"))
        }
        (Kind::Object, ..) => match in_objects(a.schema, a.schema, b.schema, path) {
            None => lacking(b.schema, b.schema, a.schema, path),
            difference => difference,
        },
        _ => None,
    }
}

/// What differs in the fields of a part of one object, and those that another one lacks.
const fn in_objects(
    part: &'static Schema,
    one: &'static Schema,
    other: &'static Schema,
    path: Message,
) -> Option<Difference> {
    let mut at = 0;
    while let Some(member) = member(peel(part), at) {
        let found = match member {
            Member::Named(name) => match (find(one, name), find(other, name)) {
                (Some(a), Some(b)) => difference(&a, &b, path.then(".").then(name)),
                (Some(_), None) => lacks(other, name, Side::First, path),
                _ => None,
            },
            Member::In(part) => in_objects(part, one, other, path),
            Member::Nothing => None,
        };
        if found.is_some() {
            return found;
        }
        at += 1;
    }
    None
}

/// A field of a part of one object that another one lacks.
const fn lacking(
    part: &'static Schema,
    one: &'static Schema,
    other: &'static Schema,
    path: Message,
) -> Option<Difference> {
    let mut at = 0;
    while let Some(member) = member(peel(part), at) {
        let found = match member {
            Member::Named(name) if find(one, name).is_some() => {
                lacks(other, name, Side::Second, path)
            }
            Member::In(part) => lacking(part, one, other, path),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        at += 1;
    }
    None
}

const fn lacks(
    object: &'static Schema,
    name: &'static str,
    of: Side,
    path: Message,
) -> Option<Difference> {
    match walk::field(object, &[], name) {
        Place::Missing(_) => Some(Difference {
            path,
            what: What::Field(name, of),
        }),
        _ => None,
    }
}
