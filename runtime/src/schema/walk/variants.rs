//! Navigation in enums.

use super::{Kind, Location, PathStep, Value, key_names, kind, step, strip_newtypes};
use crate::schema::{Schema, Shape, Tagging, Variant};

/// Returns the common kind of all variants.
pub(crate) const fn kind_of(tagging: Tagging, variants: &[Variant]) -> Kind {
    let mut common = None;
    let mut at = 0;
    while at < variants.len() {
        common = match (common, form(tagging, &variants[at])) {
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

/// Returns the kind of a variant in JSON; `None` if it is null.
pub(crate) const fn form(tagging: Tagging, variant: &Variant) -> Option<Kind> {
    match (variant.tagging(tagging), variant.content) {
        (Tagging::External, None) => Some(Kind::String),
        (Tagging::Untagged, Some(content)) => Some(kind(content)),
        (Tagging::Untagged, None) => None,
        _ => Some(Kind::Object),
    }
}

/// Returns the target of a step from the data of an adjacently tagged enum.
pub(crate) const fn step_in_data(schema: &'static Schema, to: PathStep) -> Location {
    let mut missed = Location::Opaque;
    if let Shape::OneOf(_, variants) = schema.shape {
        let mut at = 0;
        while at < variants.len() {
            if let Some(content) = variants[at].content {
                match step(&Value::of(content), to) {
                    Location::Missing(_) | Location::Wrong(_) if !matches!(missed, Location::Opaque) => {}
                    place @ (Location::Missing(_) | Location::Wrong(_)) => missed = place,
                    place => return place,
                }
            }
            at += 1;
        }
    }
    missed
}

/// Returns the common kind of the data of an adjacently tagged enum.
pub(crate) const fn kind_of_data(schema: &Schema) -> Kind {
    match schema.shape {
        Shape::OneOf(_, variants) => kind_of(Tagging::Untagged, variants),
        _ => Kind::Opaque,
    }
}

/// Returns the target of a step to the items of a list, if a variant is a list.
pub(crate) const fn items(schema: &Schema) -> Location {
    if let Shape::OneOf(tagging, variants) = schema.shape {
        let mut at = 0;
        while at < variants.len() {
            if let (Tagging::Untagged, Some(content)) = (variants[at].tagging(tagging), variants[at].content)
                && matches!(kind(content), Kind::List)
            {
                return step(&Value::of(content), PathStep::Items);
            }
            at += 1;
        }
    }
    Location::Wrong(kind(schema))
}

/// A member name of an object or an enum.
pub(crate) enum Name {
    Of(&'static str),
    /// All member names of this schema.
    In(&'static Schema),
    /// No member.
    Nothing,
}

/// Returns the member name with an index; `None` after the last.
pub(crate) const fn name(schema: &Schema, at: usize) -> Option<Name> {
    match schema.shape {
        Shape::Object(fields) if at < fields.len() => {
            Some(if fields[at].flatten { Name::In(fields[at].schema) } else { Name::Of(fields[at].name) })
        }
        Shape::Map(_) => match key_names(schema) {
            Some(names) if at < names.len() => Some(Name::Of(names[at].name)),
            _ => None,
        },
        Shape::OneOf(tagging, variants) if at < variants.len() + 2 => Some(match at {
            0 | 1 => of_tagging(tagging, at),
            _ => of_variant(tagging, &variants[at - 2]),
        }),
        _ => None,
    }
}

const fn of_tagging(tagging: Tagging, at: usize) -> Name {
    match (tagging, at) {
        (Tagging::Internal(tag) | Tagging::Adjacent { tag, .. }, 0) => Name::Of(tag),
        (Tagging::Adjacent { content, .. }, 1) => Name::Of(content),
        _ => Name::Nothing,
    }
}

const fn of_variant(tagging: Tagging, variant: &Variant) -> Name {
    match (variant.tagging(tagging), variant.content) {
        (Tagging::External, Some(_)) => Name::Of(variant.name),
        (Tagging::Internal(_) | Tagging::Untagged, Some(content)) => Name::In(strip_newtypes(content)),
        _ => Name::Nothing,
    }
}
