//! Parts of schemas as derives write them: each in one call, since calls are what constants cost the compiler.

use super::{Field, Keyword, Marker, Presence, Schema, Shape, Summary, UnitVariant, Variant, VariantKind};

/// An object with a name and a description.
pub const fn object(name: &'static str, description: &'static str, fields: &'static [Field]) -> Schema {
    Schema { name, shape: Shape::Object(fields), description, summary: Summary::of_fields(fields), ..Schema::BLANK }
}

/// An enum of strings with a name and a description.
pub const fn enumeration(name: &'static str, description: &'static str, variants: &'static [UnitVariant]) -> Schema {
    Schema { name, shape: Shape::Enum(variants), description, ..Schema::BLANK }
}

/// A field with a description.
pub const fn field(name: &'static str, schema: &'static Schema, description: &'static str) -> Field {
    Field {
        name,
        schema,
        presence: Presence::Inferred,
        flatten: false,
        immutable: false,
        transition: false,
        description,
        keywords: &[],
        markers: &[],
    }
}

/// A field with a description and with keywords.
pub const fn field_with(
    name: &'static str,
    schema: &'static Schema,
    description: &'static str,
    presence: Presence,
    keywords: &'static [Keyword],
) -> Field {
    Field {
        name,
        schema,
        presence,
        flatten: false,
        immutable: false,
        transition: false,
        description,
        keywords,
        markers: &[],
    }
}

/// The fields of a schema, in place of one field.
pub const fn flattened(schema: &'static Schema, presence: Presence, keywords: &'static [Keyword]) -> Field {
    Field { presence, keywords, ..Field::flattened(schema) }
}

/// A field that a resource reads something from.
pub const fn marked(mut field: Field, markers: &'static [Marker]) -> Field {
    field.markers = markers;
    field
}

/// A string of an enum.
pub const fn variant(name: &'static str, description: &'static str) -> UnitVariant {
    UnitVariant { name, description }
}

/// A variant without data.
pub const fn unit(name: &'static str, description: &'static str) -> Variant {
    Variant { name, description, content: None, role: VariantKind::Named }
}

/// A variant with data.
pub const fn data(name: &'static str, description: &'static str, content: &'static Schema) -> Variant {
    Variant { name, description, content: Some(content), role: VariantKind::Named }
}
