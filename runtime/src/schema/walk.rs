//! Steps through schemas in const evaluation.

pub(crate) use crdkit_core::{join::Kind, text::equal};

use super::{Field, Keyword, Schema, Shape, Variant, any_keyword};

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
    /// To the value of this schema; the keywords are those of the field that it is reached by.
    Value(&'static Schema, &'static [Keyword]),
    /// To the data of an enum of this schema, which is tagged beside it.
    Content(&'static Schema),
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

/// The schemas directly within one, and what fields add to them, one after the other; none after the last.
pub(crate) const fn part(
    schema: &Schema,
    at: usize,
) -> Option<(&'static Schema, &'static [Keyword])> {
    const NOTHING: &Schema = &Schema::object(&[]);
    match schema.shape {
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) if at == 0 => {
            Some((inner, &[]))
        }
        Shape::Tuple(items) if at < items.len() => Some((items[at], &[])),
        Shape::Object(fields) if at < fields.len() => {
            Some((fields[at].schema, fields[at].keywords))
        }
        Shape::OneOf(_, alternatives) if at < alternatives.len() => {
            match alternatives[at].content {
                Some(content) => Some((content, &[])),
                None => Some((NOTHING, &[])),
            }
        }
        _ => None,
    }
}

/// Whether a derive could not read all of the types.
pub(crate) const fn has_mistakes(schema: &Schema) -> bool {
    if let Shape::Any = schema.shape {
        return equal(schema.name, MISTAKEN.name);
    }
    let mut at = 0;
    while let Some((part, _)) = part(schema, at) {
        if has_mistakes(part) {
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
    while let Some((part, keywords)) = part(schema, at) {
        if is_open(keywords) || is_partly_open(part) {
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
        Keyword::PreserveUnknownFields
            | Keyword::Extend(_)
            | Keyword::Patch(_)
            | Keyword::Transform(_)
    )
}

/// Whether keywords say what is known only when the schema is rendered.
pub(crate) const fn are_unknown(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

/// Whether a value, reached by a field with these keywords, is certainly any value.
pub(crate) const fn is_any(schema: &Schema, keywords: &[Keyword]) -> bool {
    if are_unknown(keywords) || are_unknown(schema.keywords) {
        return false;
    }
    match schema.shape {
        Shape::Any => true,
        Shape::Newtype(inner) => is_any(inner, &[]),
        _ => false,
    }
}

/// A place that the schema of a value does not declare, though the value lets it in.
const fn undeclared(schema: &Schema, keywords: &[Keyword]) -> Place {
    match are_unknown(keywords) || are_unknown(schema.keywords) {
        true => Place::Opaque,
        false => Place::Any,
    }
}

/// The `format` of a value that is reached by a field with these keywords.
pub(crate) const fn format(schema: &Schema, keywords: &[Keyword]) -> Option<&'static str> {
    match format_among(keywords) {
        Some(format) => format,
        None => format_of(schema),
    }
}

const fn format_of(schema: &Schema) -> Option<&'static str> {
    match (format_among(schema.keywords), schema.shape) {
        (Some(format), _) => format,
        (None, Shape::Newtype(inner)) => format_of(inner),
        (None, _) => None,
    }
}

/// What the last keyword about the format says, if there is one.
const fn format_among(keywords: &[Keyword]) -> Option<Option<&'static str>> {
    let mut at = keywords.len();
    while at > 0 {
        at -= 1;
        match keywords[at] {
            Keyword::Format(format) => return Some(Some(format)),
            Keyword::NoFormat => return Some(None),
            _ => {}
        }
    }
    None
}

/// Where a step from a place leads, if it is one.
pub(crate) const fn step_from(place: Place, to: Step) -> Option<Place> {
    match place {
        Place::Value(schema, keywords) => Some(step(schema, keywords, to)),
        Place::Content(schema) => Some(variants::step_in_content(schema, to)),
        _ => None,
    }
}

/// Where a step from a value leads.
pub(crate) const fn step(schema: &'static Schema, keywords: &[Keyword], step: Step) -> Place {
    match step {
        Step::Unknown => Place::Opaque,
        Step::Items => items(schema, keywords),
        Step::Field(name) => field(schema, keywords, name),
    }
}

const fn items(schema: &'static Schema, keywords: &[Keyword]) -> Place {
    match peel(schema).shape {
        Shape::List(items) => Place::Value(items, &[]),
        Shape::Tuple([first, ..]) => Place::Value(first, &[]),
        Shape::OneOf(..) => variants::items(peel(schema)),
        Shape::Foreign(_) => Place::Opaque,
        Shape::Any => undeclared(schema, keywords),
        _ if is_open(keywords) || is_open(schema.keywords) => undeclared(schema, keywords),
        _ => Place::Wrong(kind(schema)),
    }
}

/// Where the step to a field, or to an entry of a map, leads.
pub(crate) const fn field(schema: &'static Schema, keywords: &[Keyword], name: &str) -> Place {
    let place = match peel(schema).shape {
        Shape::Object(fields) => match find(fields, name) {
            Some(place) => place,
            None => Place::Missing(peel(schema)),
        },
        Shape::Map(values) => entry(peel(schema), values, name),
        Shape::OneOf(..) => in_enum(peel(schema), name),
        Shape::Foreign(_) => Place::Opaque,
        Shape::Any => Place::Any,
        _ => Place::Wrong(kind(schema)),
    };
    let is_open = is_open(keywords) || is_open(schema.keywords);
    match place {
        Place::Missing(_) | Place::Wrong(_) if is_open => undeclared(schema, keywords),
        Place::Any => undeclared(schema, keywords),
        place => place,
    }
}

/// An entry of a map, whose keys may be the names of an enum.
const fn entry(map: &'static Schema, values: &'static Schema, name: &str) -> Place {
    let Some(variants) = key_names(map) else {
        return Place::Value(values, &[]);
    };
    let mut at = 0;
    while at < variants.len() {
        if equal(variants[at].name, name) {
            return Place::Value(values, &[]);
        }
        at += 1;
    }
    Place::Missing(map)
}

/// What the keys of a map may be, if that is known.
pub(crate) const fn key_names(map: &Schema) -> Option<&'static [Variant]> {
    let Some(keys) = map.keys else { return None };
    match peel(keys).shape {
        Shape::Enum(variants) => Some(variants),
        _ => None,
    }
}

const fn in_enum(schema: &'static Schema, name: &str) -> Place {
    match kind(schema) {
        Kind::Object | Kind::Map | Kind::Opaque => match variants::field(schema, name) {
            Some(place) => place,
            None => Place::Missing(schema),
        },
        kind => Place::Wrong(kind),
    }
}

const fn find(fields: &'static [Field], name: &str) -> Option<Place> {
    let mut opaque = None;
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if field.flatten {
            match find_flattened(field.schema, name) {
                Some(Place::Opaque) => opaque = Some(Place::Opaque),
                Some(Place::Any) if opaque.is_none() => opaque = Some(Place::Any),
                Some(Place::Any) | None => {}
                Some(place) => return Some(place),
            }
        } else if equal(field.name, name) {
            return Some(Place::Value(field.schema, field.keywords));
        }
        at += 1;
    }
    opaque
}

/// A field among those of a flattened value, or no say where that value is not known.
pub(crate) const fn find_flattened(schema: &'static Schema, name: &str) -> Option<Place> {
    match peel(schema).shape {
        Shape::Object(fields) => find(fields, name),
        Shape::OneOf(..) => variants::field(peel(schema), name),
        _ if is_any(schema, &[]) => Some(Place::Any),
        _ => Some(Place::Opaque),
    }
}

/// The field of an object, its flattened ones included.
pub(crate) const fn field_named(schema: &'static Schema, name: &str) -> Option<&'static Field> {
    let fields = match peel(schema).shape {
        Shape::Object(fields) => fields,
        Shape::OneOf(..) => return variants::field_named(peel(schema), name),
        _ => return None,
    };
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if field.flatten {
            if let Some(found) = field_named(field.schema, name) {
                return Some(found);
            }
        } else if equal(field.name, name) {
            return Some(field);
        }
        at += 1;
    }
    None
}
