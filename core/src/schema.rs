//! Finished schemas: what a CustomResourceDefinition holds.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use crate::json::Json;

pub mod keywords;
mod owned;
pub mod patch;

/// A schema of a CustomResourceDefinition (`JSONSchemaProps`), as far as a rule asks for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaProps<'a> {
    /// `type`.
    pub type_: Option<Cow<'a, str>>,
    /// `format`.
    pub format: Option<Cow<'a, str>>,
    /// `title`.
    pub title: Option<Cow<'a, str>>,
    /// `description`.
    pub description: Option<Cow<'a, str>>,
    /// `nullable`.
    pub nullable: bool,
    /// `default`; null is none.
    pub default: Option<Json<'a>>,
    /// `enum`.
    pub enum_: Option<Vec<Json<'a>>>,
    /// `example`; null is none.
    pub example: Option<Json<'a>>,
    /// `externalDocs`.
    pub external_docs: Option<ExternalDocs<'a>>,

    /// `minimum`.
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `minLength`.
    pub min_length: Option<i64>,
    /// `maxLength`.
    pub max_length: Option<i64>,
    /// `pattern`.
    pub pattern: Option<Cow<'a, str>>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `minProperties`.
    pub min_properties: Option<i64>,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `required`.
    pub required: Vec<Cow<'a, str>>,

    /// `items`.
    pub items: Option<Items<'a>>,
    /// `properties`, in the order in which they were read.
    pub properties: Option<Vec<(Cow<'a, str>, Self)>>,
    /// `additionalProperties`.
    pub additional_properties: Option<Additional<'a>>,
    /// `allOf`.
    pub all_of: Vec<Self>,
    /// `anyOf`.
    pub any_of: Vec<Self>,
    /// `oneOf`.
    pub one_of: Vec<Self>,
    /// `not`.
    pub not: Option<Box<Self>>,

    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<Cow<'a, str>>,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<Cow<'a, str>>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<Cow<'a, str>>,
    /// `x-kubernetes-validations`.
    pub validations: Vec<ValidationRule<'a>>,

    /// The keywords that are there, and that no schema of a CustomResourceDefinition may have.
    pub unsupported: Vec<Unsupported>,
    /// The keywords whose list or map is there and empty, which the server tells from one that is not there.
    pub empty: Empty,
}

/// The names of keywords whose list or map is there and empty.
///
/// They make no difference between two schemas: the server reads a schema once that all versions have but for them.
#[derive(Clone, Debug, Default)]
pub struct Empty(pub Vec<&'static str>);

impl Empty {
    /// Whether the keyword is one of them.
    pub fn contains(&self, keyword: &str) -> bool {
        self.0.contains(&keyword)
    }
}

impl PartialEq for Empty {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// `externalDocs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalDocs<'a> {
    /// `description`.
    pub description: Cow<'a, str>,
    /// `url`.
    pub url: Cow<'a, str>,
}

/// `items`.
#[derive(Clone, Debug, PartialEq)]
pub enum Items<'a> {
    /// One schema, for every item.
    Schema(Box<SchemaProps<'a>>),
    /// A schema for each item.
    Schemas(Vec<SchemaProps<'a>>),
}

/// `additionalProperties`.
#[derive(Clone, Debug, PartialEq)]
pub enum Additional<'a> {
    /// Whether there may be any.
    Bool(bool),
    /// A schema for the values.
    Schema(Box<SchemaProps<'a>>),
}

/// A keyword of OpenAPI that no schema of a CustomResourceDefinition may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// `$ref`.
    Ref,
    /// `$schema`.
    Schema,
    /// `id`.
    Id,
    /// `additionalItems`.
    AdditionalItems,
    /// `patternProperties`.
    PatternProperties,
    /// `definitions`.
    Definitions,
    /// `dependencies`.
    Dependencies,
}

impl Unsupported {
    /// The keyword, as a schema has it.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Ref => "$ref",
            Self::Schema => "$schema",
            Self::Id => "id",
            Self::AdditionalItems => "additionalItems",
            Self::PatternProperties => "patternProperties",
            Self::Definitions => "definitions",
            Self::Dependencies => "dependencies",
        }
    }
}

/// An entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationRule<'a> {
    /// `rule`.
    pub rule: Cow<'a, str>,
    /// `message`.
    pub message: Option<Cow<'a, str>>,
    /// `messageExpression`.
    pub message_expression: Option<Cow<'a, str>>,
    /// `reason`.
    pub reason: Option<Cow<'a, str>>,
    /// `fieldPath`.
    pub field_path: Option<Cow<'a, str>>,
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
}

impl<'a> SchemaProps<'a> {
    /// The schema of a field.
    pub fn property(&self, name: &str) -> Option<&Self> {
        let properties = self.properties.as_deref().unwrap_or_default();
        let found = properties.iter().find(|(key, _)| key == name);
        found.map(|(_, schema)| schema)
    }

    /// The schema of the items, if one schema is for all of them.
    pub fn items(&self) -> Option<&Self> {
        match &self.items {
            Some(Items::Schema(items)) => Some(items),
            _ => None,
        }
    }

    /// The schema of the values of a map.
    pub fn values(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(Additional::Schema(values)) => Some(values),
            _ => None,
        }
    }

    /// Whether an object without the field is refused.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// The type, if there is one; an empty text is none.
    pub fn type_name(&self) -> Option<&str> {
        self.type_.as_deref().filter(|name| !name.is_empty())
    }

    /// Whether there is at least one property.
    pub fn has_properties(&self) -> bool {
        self.properties.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Whether there is a `$ref`, in whose place nobody knows what would stand.
    pub fn is_reference(&self) -> bool {
        self.unsupported.contains(&Unsupported::Ref)
    }

    /// Whether `x-kubernetes-preserve-unknown-fields` is true.
    pub fn preserves_unknown_fields(&self) -> bool {
        self.preserve_unknown_fields == Some(true)
    }
}
