//! Steps through schemas in const evaluation.

pub(super) use super::text::equal;
use super::{MISTAKEN, Step, alternatives};
use crate::{
    definition::{Definition, Root, RootSchema},
    schema::{Field, Keyword, KubeSchema, Schema, Shape, Variant, any_keyword},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Where a step leads.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// To the value of this schema; the keywords are those of the field that it is reached by.
    Value(&'static Schema, &'static [Keyword]),
    /// To the data of an enum of this schema, which is tagged beside it.
    Content(&'static Schema),
    /// To a place whose schema is not known while compiling.
    Opaque,
    /// Nowhere: the object has no such field.
    Missing(&'static Schema),
    /// Nowhere: the value has no fields, or no items.
    Wrong(Kind),
    /// Nowhere: the resource has no such field at its root.
    MissingAtRoot,
}

/// What kind of JSON value a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Integer,
    Number,
    String,
    IntOrString,
    List,
    Map,
    Object,
    Opaque,
}

impl Kind {
    /// What a message calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::IntOrString => "an integer or a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Object => "an object",
            Self::Opaque => "any value",
        }
    }
}

/// The schema inside newtypes.
pub(crate) const fn peel(schema: &Schema) -> &Schema {
    match schema.shape {
        Shape::Newtype(inner) => peel(inner),
        _ => schema,
    }
}

/// Whether only schemars knows the schema.
pub(super) const fn is_foreign(schema: &Schema) -> bool {
    matches!(peel(schema).shape, Shape::Foreign(_))
}

/// Whether a derive could not read all of the types.
pub(super) const fn has_mistakes(schema: &Schema) -> bool {
    match schema.shape {
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => has_mistakes(inner),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if has_mistakes(fields[at].schema) {
                    return true;
                }
                at += 1;
            }
            false
        }
        Shape::OneOf(_, alternatives) => alternatives::have_mistakes(alternatives),
        Shape::Any => equal(schema.name, MISTAKEN.name),
        _ => false,
    }
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
        Shape::OneOf(tagging, alternatives) => alternatives::kind_of(tagging, alternatives),
        Shape::Newtype(inner) => kind(inner),
        Shape::Any | Shape::Foreign(_) => Kind::Opaque,
    }
}

/// Whether keywords let in more than the shape says.
pub(super) const fn is_open(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::PreserveUnknownFields
            | Keyword::Extend(_)
            | Keyword::Patch(_)
            | Keyword::Transform(_)
    )
}

/// The `format` of a value that is reached by a field with these keywords.
pub(super) const fn format(schema: &Schema, keywords: &[Keyword]) -> Option<&'static str> {
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
pub(super) const fn step_from(place: Place, to: Step) -> Option<Place> {
    match place {
        Place::Value(schema, keywords) => Some(step(schema, keywords, to)),
        Place::Content(schema) => Some(alternatives::step_in_content(schema, to)),
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
        Shape::OneOf(..) => alternatives::items(peel(schema)),
        Shape::Any | Shape::Foreign(_) => Place::Opaque,
        _ if is_open(keywords) || is_open(schema.keywords) => Place::Opaque,
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
        Shape::Any | Shape::Foreign(_) => Place::Opaque,
        _ => Place::Wrong(kind(schema)),
    };
    let is_open = is_open(keywords) || is_open(schema.keywords);
    match place {
        Place::Missing(_) | Place::Wrong(_) if is_open => Place::Opaque,
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
pub(super) const fn key_names(map: &Schema) -> Option<&'static [Variant]> {
    let Some(keys) = map.keys else { return None };
    match peel(keys).shape {
        Shape::Enum(variants) => Some(variants),
        _ => None,
    }
}

const fn in_enum(schema: &'static Schema, name: &str) -> Place {
    match kind(schema) {
        Kind::Object | Kind::Map | Kind::Opaque => match alternatives::field(schema, name) {
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
                Some(place) => return Some(place),
                None => {}
            }
        } else if equal(field.name, name) {
            return Some(Place::Value(field.schema, field.keywords));
        }
        at += 1;
    }
    opaque
}

/// A field among those of a flattened value, or no say where that value is not known.
pub(super) const fn find_flattened(schema: &'static Schema, name: &str) -> Option<Place> {
    match peel(schema).shape {
        Shape::Object(fields) => find(fields, name),
        Shape::OneOf(..) => alternatives::field(peel(schema), name),
        _ => Some(Place::Opaque),
    }
}

/// Where the first step from the root of a resource leads.
pub(crate) const fn from_root(definition: &Definition, name: &str) -> Place {
    let RootSchema::Derived(root) = &definition.schema else {
        return Place::Opaque;
    };
    if equal(name, "metadata") {
        return Place::Value(&ObjectMeta::SCHEMA, &[]);
    }
    if equal(name, "apiVersion") || equal(name, "kind") {
        return Place::Value(&<String as KubeSchema>::SCHEMA, &[]);
    }
    if equal(name, "status")
        && let Some(status) = root.status
    {
        return Place::Value(status, &[]);
    }
    from_spec(root, name)
}

const fn from_spec(root: &Root, name: &str) -> Place {
    if root.flatten_spec {
        return field(root.spec, &[], name);
    }
    if equal(name, "spec") {
        return Place::Value(root.spec, &[]);
    }
    Place::MissingAtRoot
}

/// The field of an object, its flattened ones included.
pub(super) const fn field_named(schema: &'static Schema, name: &str) -> Option<&'static Field> {
    let fields = match peel(schema).shape {
        Shape::Object(fields) => fields,
        Shape::OneOf(..) => return alternatives::field_named(peel(schema), name),
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
