//! The keywords that apply to one value, merged from its type and its field.

use crate::schema::{Items, Kind, SchemaProps, Type};

/// The keywords that apply to one value, merged from its type chain, its field and its own keywords.
///
/// A finished schema determines all of them ([`MergedKeywords::from_schema`]). A constant schema may leave some unknown; an unknown
/// keyword does not break a rule.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MergedKeywords<'a> {
    /// The type.
    pub type_: Type,
    /// `type` as it is written; empty if it is absent.
    pub type_name: &'a str,
    /// The kind of value, for messages.
    pub kind: Kind,
    /// `nullable`.
    pub nullable: bool,
    /// `format`.
    pub format: Option<&'a str>,
    /// Whether `default` is present.
    pub has_default: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserves_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<&'a str>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<&'a str>,
    /// Whether `properties` has at least one entry.
    pub has_properties: bool,
    /// Whether `items` is one schema for all items.
    pub has_items: bool,
    /// Whether `additionalProperties` is present.
    pub has_values: bool,
}

impl<'a> MergedKeywords<'a> {
    /// A value with a known type and nothing else.
    pub const fn from_type(type_: Type) -> Self {
        Self {
            type_,
            type_name: type_.type_name(),
            kind: type_.kind(),
            nullable: false,
            format: None,
            has_default: false,
            int_or_string: false,
            preserves_unknown_fields: false,
            embedded_resource: false,
            list_type: None,
            map_type: None,
            has_properties: false,
            has_items: false,
            has_values: false,
        }
    }

    /// Reads a finished schema.
    pub fn from_schema(schema: &'a SchemaProps<'_>) -> Self {
        let type_ = Type::from_name(schema.type_.as_deref());
        Self {
            type_,
            type_name: schema.type_.as_deref().unwrap_or_default(),
            kind: match type_ {
                Type::Missing if schema.int_or_string => Kind::IntOrString,
                type_ => type_.kind(),
            },
            nullable: schema.nullable,
            format: schema.format.as_deref(),
            has_default: schema.default.is_some(),
            int_or_string: schema.int_or_string,
            preserves_unknown_fields: schema.preserves_unknown_fields(),
            embedded_resource: schema.embedded_resource,
            list_type: schema.list_type.as_deref(),
            map_type: schema.map_type.as_deref(),
            has_properties: schema.has_properties(),
            has_items: matches!(schema.items, Some(Items::Schema(_))),
            has_values: schema.additional_properties.is_some(),
        }
    }
}
