//! Constructors for generated code: one call per item, because calls dominate the cost of const evaluation.

use super::{Field, Keyword, Marker, Presence, Schema, Shape, Summary, UnitVariant, Variant, VariantKind};

/// Creates an object with a name and a description.
pub const fn object(name: &'static str, description: &'static str, fields: &'static [Field]) -> Schema {
    Schema { name, shape: Shape::Object(fields), description, summary: Summary::of_fields(fields), ..Schema::BLANK }
}

/// Creates an enum of strings with a name and a description.
pub const fn enumeration(name: &'static str, description: &'static str, variants: &'static [UnitVariant]) -> Schema {
    Schema { name, shape: Shape::Enum(variants), description, ..Schema::BLANK }
}

/// Creates a field with a description.
pub const fn field(name: &'static str, schema: &'static Schema, description: &'static str) -> Field {
    Field {
        name,
        schema,
        presence: Presence::Inferred,
        flatten: false,
        immutable: false,
        transition: false,
        description,
        aliases: &[],
        filled_in: false,
        keywords: &[],
        markers: &[],
    }
}

/// Creates a field with a description and keywords.
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
        aliases: &[],
        filled_in: false,
        keywords,
        markers: &[],
    }
}

/// Creates a flattened field.
pub const fn flattened(schema: &'static Schema, presence: Presence, keywords: &'static [Keyword]) -> Field {
    Field { presence, keywords, ..Field::flattened(schema) }
}

/// Adds markers to a field.
pub const fn marked(mut field: Field, markers: &'static [Marker]) -> Field {
    field.markers = markers;
    field
}

/// Creates a variant of an enum of strings.
pub const fn variant(name: &'static str, description: &'static str) -> UnitVariant {
    UnitVariant { name, description }
}

/// Creates a unit variant.
pub const fn unit(name: &'static str, description: &'static str) -> Variant {
    Variant { name, description, content: None, role: VariantKind::Named }
}

/// Creates a variant with data.
pub const fn data(name: &'static str, description: &'static str, content: &'static Schema) -> Variant {
    Variant { name, description, content: Some(content), role: VariantKind::Named }
}
