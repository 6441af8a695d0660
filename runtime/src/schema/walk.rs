//! Steps through schemas in const evaluation.

pub(crate) use crdkit_core::{join::Kind, path::ElementStep, text::equal};

use super::{Keyword, Schema, Shape, Variant, any_keyword};
pub(crate) use member::{Member, beside, find};
pub(crate) use parts::{Part, Segment, part, parts};
pub use value::Value;
pub(crate) use value::has_keyword;

mod member;
mod parts;
mod value;
pub(crate) mod variants;

/// The schema of what a derive could not read: it has reported an error, from which no other one shall follow.
pub const MISTAKEN: Schema = Schema::any().named("a type with mistakes");

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// To a field of an object, or an entry of a map.
    Field(&'static str),
    /// To the items of a list.
    Items,
    /// To a place that a schema cannot tell: the rest of the path is not followed.
    Unknown,
}

/// Where a step leads.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// To a value.
    At(Member),
    /// To a place whose schema is not known while compiling.
    Opaque,
    /// To a place in what may be any value, of which the schema says nothing.
    Any,
    /// Nowhere: the object has no such field.
    Missing(&'static Schema),
    /// Nowhere: the value has no fields, or no items.
    Wrong(Kind),
    /// Nowhere: the resource has no such field at its root.
    MissingAtRoot,
}

/// The schema inside newtypes.
pub(crate) const fn peel(schema: &Schema) -> &Schema {
    match schema.shape {
        Shape::Newtype(inner) => peel(inner),
        _ => schema,
    }
}

/// Whether only schemars knows the schema.
pub(crate) const fn is_foreign(schema: &Schema) -> bool {
    matches!(peel(schema).shape, Shape::Foreign(_))
}

/// Whether a derive could not read all of the types.
pub(crate) const fn has_mistakes(schema: &Schema) -> bool {
    if let Shape::Any = schema.shape {
        return equal(schema.name, MISTAKEN.name);
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if has_mistakes(part.schema) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a part of the values can be anything.
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

/// The kind of a value of this schema.
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
        Shape::OneOf(tagging, alternatives) => variants::kind_of(tagging, alternatives),
        Shape::Newtype(inner) => kind(inner),
        Shape::Any | Shape::Foreign(_) => Kind::Opaque,
    }
}

/// Whether keywords let in more than the shape says.
pub(crate) const fn is_open(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::PreserveUnknownFields | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

/// A place that the schema of a value does not declare, though the value lets it in.
const fn undeclared(value: &Value) -> Place {
    match value.is_evaluated() {
        true => Place::Opaque,
        false => Place::Any,
    }
}

/// Where a step from a place leads, if it is one.
pub(crate) const fn step_from(place: &Place, to: Step) -> Option<Place> {
    match place {
        Place::At(member) => Some(match member.data_of {
            Some(schema) => variants::step_in_data(schema, to),
            None => step(&member.value, to),
        }),
        _ => None,
    }
}

/// Where a step from a value leads.
pub(crate) const fn step(value: &Value, step: Step) -> Place {
    match step {
        Step::Unknown => Place::Opaque,
        Step::Items => items(value),
        Step::Field(name) => field(value, name),
    }
}

const fn items(value: &Value) -> Place {
    let schema = peel(value.schema);
    match schema.shape {
        Shape::List(_) | Shape::Tuple([_, ..]) => Place::At(Member::of(value.inside(ElementStep::Items))),
        Shape::OneOf(..) => variants::items(schema),
        Shape::Foreign(_) => Place::Opaque,
        _ if !value.is_known => Place::Opaque,
        _ if value.is_open() || matches!(schema.shape, Shape::Any) => undeclared(value),
        _ => Place::Wrong(kind(schema)),
    }
}

/// Where the step to a field, or to an entry of a map, leads.
pub(crate) const fn field(value: &Value, name: &str) -> Place {
    let schema = peel(value.schema);
    let place = match (schema.shape, kind(schema)) {
        (Shape::Foreign(_), _) => Place::Opaque,
        _ if !value.is_known => Place::Opaque,
        (Shape::Any, _) => return undeclared(value),
        (Shape::Map(_), _) if key_names(schema).is_none() => {
            Place::At(Member::of(value.inside(ElementStep::Values)).uncertain())
        }
        (Shape::Object(_) | Shape::Map(_) | Shape::OneOf(..), Kind::Object | Kind::Map | Kind::Opaque) => {
            match find(value, name) {
                Some(Place::Any) => undeclared(value),
                Some(place) => place,
                None => Place::Missing(schema),
            }
        }
        (_, kind) => Place::Wrong(kind),
    };
    match place {
        Place::Missing(_) | Place::Wrong(_) if value.is_open() => undeclared(value),
        place => place,
    }
}

/// What the keys of a map may be, if that is known.
pub(crate) const fn key_names(map: &Schema) -> Option<&'static [Variant]> {
    let Some(keys) = map.keys else { return None };
    match peel(keys).shape {
        Shape::Enum(variants) => Some(variants),
        _ => None,
    }
}
