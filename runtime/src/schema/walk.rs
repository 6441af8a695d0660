//! Navigation in schemas, in const evaluation.

pub(crate) use crdkit_core::{path::ElementStep, schema::Kind, text::equal};

use super::{Keyword, Schema, Shape, UnitVariant, any_keyword};
pub(crate) use member::{Member, beside, find};
pub(crate) use parts::{Part, Segment, part, parts};
pub use value::Value;
pub(crate) use value::has_keyword;

mod member;
mod parts;
mod value;
pub(crate) mod variants;

/// The schema of a type for which the derive has reported an error; suppresses follow-up errors.
pub const ERRONEOUS: Schema = Schema::any().named("a type with mistakes");

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum PathStep {
    /// To a field of an object, or an entry of a map.
    Field(&'static str),
    /// To the items of a list.
    Items,
    /// To a place that the schema does not determine: the rest of the path is not resolved.
    Unknown,
}

/// The target of a step.
#[derive(Clone, Copy)]
pub(crate) enum Location {
    /// A value.
    At(Member),
    /// A place whose schema is unknown at compile time.
    Opaque,
    /// A place inside a value of any type, which the schema does not describe.
    Any,
    /// The object has no such field.
    Missing(&'static Schema),
    /// The value has no fields, or no items.
    Wrong(Kind),
    /// The resource has no such field at its root.
    MissingAtRoot,
}

/// Returns the schema inside newtypes.
pub(crate) const fn strip_newtypes(schema: &Schema) -> &Schema {
    match schema.shape {
        Shape::Newtype(inner) => strip_newtypes(inner),
        _ => schema,
    }
}

/// Whether the schema comes from schemars.
pub(crate) const fn is_foreign(schema: &Schema) -> bool {
    matches!(strip_newtypes(schema).shape, Shape::Foreign(_))
}

/// Whether a derive has reported an error for any part of the type.
pub(crate) const fn references_error(schema: &Schema) -> bool {
    if let Shape::Any = schema.shape {
        return equal(schema.name, ERRONEOUS.name);
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if references_error(part.schema) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether any part of the type accepts any value.
pub(crate) const fn is_partly_open(schema: &Schema) -> bool {
    if is_open(schema.keywords) || matches!(schema.shape, Shape::Any | Shape::Foreign(_)) {
        return true;
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        let is_opened = match part.field {
            Some(field) => is_open(field.keywords),
            None => false,
        };
        if is_opened || is_partly_open(part.schema) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the kind of value.
pub(crate) const fn kind(schema: &Schema) -> Kind {
    if is_open(schema.keywords) {
        return match schema.shape {
            Shape::Object(_) => Kind::Object,
            _ => Kind::Opaque,
        };
    }
    match schema.shape {
        Shape::Boolean => Kind::Boolean,
        Shape::Integer => Kind::Integer,
        Shape::Number => Kind::Number,
        Shape::String | Shape::Enum(_) => Kind::String,
        Shape::IntOrString => Kind::IntOrString,
        Shape::List(_) | Shape::Tuple(_) => Kind::List,
        Shape::Map(_) => Kind::Map,
        Shape::Object(_) => Kind::Object,
        Shape::OneOf(tagging, variants) => variants::kind_of(tagging, variants),
        Shape::Newtype(inner) => kind(inner),
        Shape::Any | Shape::Foreign(_) => Kind::Opaque,
    }
}

/// Whether keywords allow more than the shape.
pub(crate) const fn is_open(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::PreserveUnknownFields | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

/// The target of a step that a value allows without declaring it.
const fn undeclared(value: &Value) -> Location {
    if value.is_evaluated() { Location::Opaque } else { Location::Any }
}

/// Returns the target of a step from a location, if the location is a value.
pub(crate) const fn step_from(place: &Location, to: PathStep) -> Option<Location> {
    match place {
        Location::At(member) => Some(match member.data_of {
            Some(schema) => variants::step_in_data(schema, to),
            None => step(&member.value, to),
        }),
        _ => None,
    }
}

/// Returns the target of a step from a value.
pub(crate) const fn step(value: &Value, step: PathStep) -> Location {
    match step {
        PathStep::Unknown => Location::Opaque,
        PathStep::Items => items(value),
        PathStep::Field(name) => field(value, name),
    }
}

const fn items(value: &Value) -> Location {
    let schema = strip_newtypes(value.schema);
    match schema.shape {
        Shape::List(_) | Shape::Tuple([_, ..]) => Location::At(Member::of(value.inside(ElementStep::Items))),
        Shape::OneOf(..) => variants::items(schema),
        Shape::Foreign(_) => Location::Opaque,
        _ if !value.is_known => Location::Opaque,
        _ if value.is_open() || matches!(schema.shape, Shape::Any) => undeclared(value),
        _ => Location::Wrong(kind(schema)),
    }
}

/// Returns the target of a step to a field, or to an entry of a map.
pub(crate) const fn field(value: &Value, name: &str) -> Location {
    let schema = strip_newtypes(value.schema);
    let place = match (schema.shape, kind(schema)) {
        (Shape::Foreign(_), _) => Location::Opaque,
        _ if !value.is_known => Location::Opaque,
        (Shape::Any, _) => return undeclared(value),
        (Shape::Map(_), _) if key_names(schema).is_none() => {
            Location::At(Member::of(value.inside(ElementStep::Values)).uncertain())
        }
        (Shape::Object(_) | Shape::Map(_) | Shape::OneOf(..), Kind::Object | Kind::Map | Kind::Opaque) => {
            match find(value, name) {
                Some(Location::Any) => undeclared(value),
                Some(place) => place,
                None => Location::Missing(schema),
            }
        }
        (_, kind) => Location::Wrong(kind),
    };
    match place {
        Location::Missing(_) | Location::Wrong(_) if value.is_open() => undeclared(value),
        place => place,
    }
}

/// Returns the names of a map's keys, if they are known.
pub(crate) const fn key_names(map: &Schema) -> Option<&'static [UnitVariant]> {
    let Some(keys) = map.keys else { return None };
    match strip_newtypes(keys).shape {
        Shape::Enum(variants) => Some(variants),
        _ => None,
    }
}
