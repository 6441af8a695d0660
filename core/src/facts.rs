//! One value, with all that its type and its field say of it.

use crate::{
    join::Kind,
    schema::{Items, SchemaProps},
};

/// What is known of one value: its type chain, its field and its keywords, merged once.
///
/// A finished schema shows all of it ([`Facts::of`]); a constant one may leave something open, which no rule is broken by.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// What `type` says.
    pub type_: Type,
    /// `type`, as it is written; empty if it is not there.
    pub type_name: &'a str,
    /// The kind of value, for messages.
    pub kind: Kind,
    /// `nullable`.
    pub nullable: bool,
    /// `format`.
    pub format: Option<&'a str>,
    /// Whether there is a `default`.
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
    /// Whether there are `properties`.
    pub has_properties: bool,
    /// Whether there is one schema for all `items`.
    pub has_items: bool,
    /// Whether there are `additionalProperties`.
    pub has_values: bool,
}

/// What a schema says of the type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// It is not known while compiling.
    Unknown,
    /// There is no `type`.
    Missing,
    /// `array`.
    Array,
    /// `boolean`.
    Boolean,
    /// `integer`.
    Integer,
    /// `number`.
    Number,
    /// `object`.
    Object,
    /// `string`.
    String,
    /// One that the server does not know.
    Other,
}

impl Type {
    /// The type of this name; none is [`Type::Missing`].
    pub fn from_name(name: Option<&str>) -> Self {
        match name {
            None | Some("") => Self::Missing,
            Some("array") => Self::Array,
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("object") => Self::Object,
            Some("string") => Self::String,
            Some(_) => Self::Other,
        }
    }

    /// The kind of its values.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Unknown | Self::Missing | Self::Other => Kind::Opaque,
            Self::Array => Kind::List,
            Self::Boolean => Kind::Boolean,
            Self::Integer => Kind::Integer,
            Self::Number => Kind::Number,
            Self::Object => Kind::Object,
            Self::String => Kind::String,
        }
    }

    /// The value of `type`; empty if it is not known or not there.
    pub const fn as_str(self) -> &'static str {
        match self.kind().type_() {
            Some(name) => name,
            None => "",
        }
    }

    /// What a message calls one value of the type.
    pub const fn noun(self) -> &'static str {
        self.kind().name()
    }
}

impl<'a> Facts<'a> {
    /// A value of which only the type is known.
    pub const fn from_type(type_: Type) -> Self {
        Self {
            type_,
            type_name: type_.as_str(),
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

    /// What a finished schema shows.
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
