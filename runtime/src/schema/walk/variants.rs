//! Steps into the variants of an enum.

use super::{Kind, Place, Step, equal, find_flattened, key_names, kind, peel, step};
use crate::schema::{Alternative, Field, KubeSchema, Schema, Shape, Tagging};

/// The name of a variant.
const TAG: Schema = <String as KubeSchema>::SCHEMA;

/// The kind of value that all variants are.
pub(crate) const fn kind_of(tagging: Tagging, alternatives: &[Alternative]) -> Kind {
    let mut common = None;
    let mut at = 0;
    while at < alternatives.len() {
        common = match (common, form(tagging, &alternatives[at])) {
            (None, kind) | (kind, None) => kind,
            (Some(one), Some(other)) => match one.union(other) {
                None => return Kind::Opaque,
                kind => kind,
            },
        };
        at += 1;
    }
    match common {
        Some(kind) => kind,
        None => Kind::Opaque,
    }
}

/// What a variant is in JSON; none if it is null.
pub(crate) const fn form(tagging: Tagging, alternative: &Alternative) -> Option<Kind> {
    match (alternative.tagging(tagging), alternative.content) {
        (Tagging::External, None) => Some(Kind::String),
        (Tagging::Untagged, Some(content)) => Some(kind(content)),
        (Tagging::Untagged, None) => None,
        _ => Some(Kind::Object),
    }
}

/// Where the step to a field of an enum leads; none if no variant has it.
pub(crate) const fn field(schema: &'static Schema, name: &str) -> Option<Place> {
    let Shape::OneOf(tagging, alternatives) = schema.shape else {
        return None;
    };
    match tagging {
        Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } if equal(tag, name) => {
            return Some(Place::Value(&TAG, &[]));
        }
        Tagging::Adjacent { content, .. } if equal(content, name) => {
            return Some(Place::Content(schema));
        }
        _ => {}
    }
    let mut opaque = None;
    let mut at = 0;
    while at < alternatives.len() {
        match field_of(tagging, &alternatives[at], name) {
            Some(place @ (Place::Opaque | Place::Any)) => opaque = Some(place),
            Some(place) => return Some(place),
            None => {}
        }
        at += 1;
    }
    opaque
}

const fn field_of(tagging: Tagging, alternative: &Alternative, name: &str) -> Option<Place> {
    let Some(content) = alternative.content else {
        return None;
    };
    match alternative.tagging(tagging) {
        Tagging::External if equal(alternative.name, name) => Some(Place::Value(content, &[])),
        Tagging::Internal(_) | Tagging::Untagged => find_flattened(content, name),
        _ => None,
    }
}

/// Where a step leads from the data of an enum that is tagged beside it.
pub(crate) const fn step_in_content(schema: &'static Schema, to: Step) -> Place {
    let mut missed = Place::Opaque;
    if let Shape::OneOf(_, alternatives) = schema.shape {
        let mut at = 0;
        while at < alternatives.len() {
            if let Some(content) = alternatives[at].content {
                match step(content, &[], to) {
                    Place::Missing(_) | Place::Wrong(_) if !matches!(missed, Place::Opaque) => {}
                    place @ (Place::Missing(_) | Place::Wrong(_)) => missed = place,
                    place => return place,
                }
            }
            at += 1;
        }
    }
    missed
}

/// The kind of the data of an enum that is tagged beside it.
pub(crate) const fn kind_of_content(schema: &Schema) -> Kind {
    match schema.shape {
        Shape::OneOf(_, alternatives) => kind_of(Tagging::Untagged, alternatives),
        _ => Kind::Opaque,
    }
}

/// Where the step to the items of a list leads, which a variant of an enum may be.
pub(crate) const fn items(schema: &Schema) -> Place {
    if let Shape::OneOf(tagging, alternatives) = schema.shape {
        let mut at = 0;
        while at < alternatives.len() {
            if let (Tagging::Untagged, Some(content)) =
                (alternatives[at].tagging(tagging), alternatives[at].content)
                && matches!(kind(content), Kind::List)
            {
                return step(content, &[], Step::Items);
            }
            at += 1;
        }
    }
    Place::Wrong(kind(schema))
}

/// The field of any variant whose fields are those of the enum, or of its data.
pub(crate) const fn field_named(schema: &'static Schema, name: &str) -> Option<&'static Field> {
    if let Shape::OneOf(tagging, alternatives) = schema.shape {
        let mut at = 0;
        while at < alternatives.len() {
            if let Some(content) = alternatives[at].content
                && !matches!(alternatives[at].tagging(tagging), Tagging::External)
                && let Some(field) = super::field_named(content, name)
            {
                return Some(field);
            }
            at += 1;
        }
    }
    None
}

/// A member of an object, or of one that an enum may be.
pub(crate) enum Member {
    Named(&'static str),
    /// All members of this schema.
    In(&'static Schema),
    /// There is none here.
    Nothing,
}

/// The members of a value, one after the other; none after the last.
pub(crate) const fn member(schema: &Schema, at: usize) -> Option<Member> {
    match schema.shape {
        Shape::Object(fields) if at < fields.len() => Some(match fields[at].flatten {
            true => Member::In(fields[at].schema),
            false => Member::Named(fields[at].name),
        }),
        Shape::Map(_) => match key_names(schema) {
            Some(names) if at < names.len() => Some(Member::Named(names[at].name)),
            _ => None,
        },
        Shape::OneOf(tagging, alternatives) if at < alternatives.len() + 2 => Some(match at {
            0 | 1 => of_tagging(tagging, at),
            _ => of_variant(tagging, &alternatives[at - 2]),
        }),
        _ => None,
    }
}

const fn of_tagging(tagging: Tagging, at: usize) -> Member {
    match (tagging, at) {
        (Tagging::Internal(tag) | Tagging::Adjacent { tag, .. }, 0) => Member::Named(tag),
        (Tagging::Adjacent { content, .. }, 1) => Member::Named(content),
        _ => Member::Nothing,
    }
}

const fn of_variant(tagging: Tagging, alternative: &Alternative) -> Member {
    match (alternative.tagging(tagging), alternative.content) {
        (Tagging::External, Some(_)) => Member::Named(alternative.name),
        (Tagging::Internal(_) | Tagging::Untagged, Some(content)) => Member::In(peel(content)),
        _ => Member::Nothing,
    }
}
