//! Direct parts of schemas.

use crate::schema::{Field, Schema, Shape, Tagging, Variant};

/// A direct part of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) schema: &'static Schema,
    /// The field whose type it is.
    pub(crate) field: Option<&'static Field>,
    /// The path segment to it.
    pub(crate) segment: Segment,
}

/// A path segment from a value to a part of it.
#[derive(Clone, Copy)]
pub(crate) enum Segment {
    /// The part is the value, or its fields are among those of the value.
    Here,
    /// To a field.
    Field(&'static str),
    /// To all items of a list.
    Items,
    /// To an item of a tuple.
    Item(usize),
    /// To all values of a map.
    Values,
}

/// Returns the part of a schema with an index; `None` after the last.
pub(crate) const fn part(schema: &Schema, at: usize) -> Option<Part> {
    let (schema, segment) = match schema.shape {
        Shape::Newtype(inner) if at == 0 => (inner, Segment::Here),
        Shape::List(items) if at == 0 => (items, Segment::Items),
        Shape::Map(values) if at == 0 => (values, Segment::Values),
        Shape::Tuple(items) if at < items.len() => (items[at], Segment::Item(at)),
        Shape::Object(fields) if at < fields.len() => return Some(of_field(&fields[at])),
        Shape::OneOf(tagging, variants) if at < variants.len() => of_variant(tagging, &variants[at]),
        _ => return None,
    };
    Some(Part { schema, field: None, segment })
}

/// Returns all parts of a schema.
pub(crate) fn parts(schema: &Schema) -> impl Iterator<Item = Part> {
    (0..).map_while(|at| part(schema, at))
}

const fn of_field(field: &'static Field) -> Part {
    Part {
        schema: field.schema,
        field: Some(field),
        segment: if field.flatten { Segment::Here } else { Segment::Field(field.name) },
    }
}

const fn of_variant(tagging: Tagging, variant: &Variant) -> (&'static Schema, Segment) {
    const NOTHING: &Schema = &Schema::object(&[]);
    let Some(content) = variant.content else {
        return (NOTHING, Segment::Here);
    };
    let segment = match variant.tagging(tagging) {
        Tagging::External => Segment::Field(variant.name),
        Tagging::Adjacent { content, .. } => Segment::Field(content),
        _ => Segment::Here,
    };
    (content, segment)
}

impl Segment {
    /// Appends the segment to a path.
    pub(crate) fn below(self, path: &str) -> String {
        match self {
            Self::Here => path.to_owned(),
            Self::Field(name) => format!("{path}.{name}"),
            Self::Items => format!("{path}[]"),
            Self::Item(at) => format!("{path}[{at}]"),
            Self::Values => format!("{path}[*]"),
        }
    }
}
