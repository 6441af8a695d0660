//! Finished schemas, as in a CustomResourceDefinition.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use crate::json::Json;

pub mod api_fields;
mod bounds;
mod keyword_table;
mod kind;
mod owned;
pub mod patch;
pub mod unsupported_keywords;

pub use bounds::{AppliesTo, CountBound, NumberBound, Side, equivalent_key, equivalent_keyword};
pub use kind::{Kind, Type};

/// The type of a keyword's value.
macro_rules! value {
    (flag) => { bool };
    (choice) => { Option<bool> };
    (number) => { Option<f64> };
    (count) => { Option<i64> };
    (text) => { Option<Cow<'a, str>> };
    (word) => { Option<Cow<'a, str>> };
    (texts) => { Vec<Cow<'a, str>> };
    (value) => { Option<Json<'a>> };
    (values) => { Option<Vec<Json<'a>>> };
    (docs) => { Option<ExternalDocs<'a>> };
    (rules) => { Vec<ValidationRule<'a>> };
    (branch) => { Option<Box<SchemaProps<'a>>> };
    (branches) => { Vec<SchemaProps<'a>> };
    (items) => { Option<Items<'a>> };
    (additional) => { Option<AdditionalProperties<'a>> };
    (properties) => { Option<Vec<(Cow<'a, str>, SchemaProps<'a>)>> };
}

/// Whether a keyword is set to a value other than the default.
#[rustfmt::skip]
macro_rules! is_set {
    (choice, $value:expr) => { $value == Some(true) };
    (text, $value:expr) => { $value.as_deref().is_some_and(|text| !text.is_empty()) };
    (values, $value:expr) => { $value.as_deref().is_some_and(|all| !all.is_empty()) };
    (items, $value:expr) => { $value.as_ref().is_some_and(|items| !items.is_empty()) };
    ($form:ident, $value:expr) => { is_set(&$value) };
}

macro_rules! declare {
    (
        keywords { $($field:ident $source:tt $name:literal $form:ident $doc:literal;)+ }
        $numbers:ident $number_lines:tt
        counts { $($counted:ident $counted_name:literal $count:ident $rest:ident $side:ident $counted_doc:literal;)+ }
        $others:ident $other_lines:tt
    ) => {
        /// A schema of a CustomResourceDefinition (`JSONSchemaProps`), with the keywords that rules use.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct SchemaProps<'a> {
            $(#[doc = concat!("`", $name, "`: ", $doc)] pub $field: value!($form),)+
            /// The keywords in the schema that a CustomResourceDefinition cannot have.
            pub unsupported: Vec<Unsupported>,
            /// The keywords with an empty list or map, which the server distinguishes from an absent one.
            pub empty: EmptyKeywords,
        }

        impl SchemaProps<'_> {
            /// Returns the names of the keywords that are set, without unsupported and empty ones.
            pub fn keywords(&self) -> impl Iterator<Item = &'static str> {
                let all = [$(($name, is_set!($form, self.$field))),+];
                all.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
            }

            /// Returns the names of the bounds that are set, and the values that they apply to. Exclusive flags are not listed.
            pub fn bounds(&self) -> impl Iterator<Item = (&'static str, AppliesTo)> {
                self.keywords().filter_map(|name| Some((name, bounds::applies_to(name)?)))
            }

            /// Returns a bound on the number of characters, items or entries.
            pub const fn count(&self, bound: CountBound) -> Option<i64> {
                match bound {
                    $(CountBound::$count => self.$counted,)+
                }
            }

            /// Returns the schema without borrowed strings.
            pub fn into_owned(self) -> SchemaProps<'static> {
                SchemaProps {
                    $($field: owned::IntoOwned::into_owned(self.$field),)+
                    unsupported: self.unsupported,
                    empty: self.empty,
                }
            }
        }
    };
}
crate::for_each_keyword!(declare);

fn is_set<T: Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}

/// The names of keywords with an empty list, map or reference.
///
/// Two schemas that differ only in these are equal: the server also treats them as the same schema of all versions.
#[derive(Clone, Debug, Default)]
pub struct EmptyKeywords(pub Vec<&'static str>);

impl EmptyKeywords {
    /// Whether the keyword is one of them.
    pub fn contains(&self, keyword: &str) -> bool {
        self.0.contains(&keyword)
    }
}

impl PartialEq for EmptyKeywords {
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
    /// One schema for all items.
    Schema(Box<SchemaProps<'a>>),
    /// A schema for each item.
    Schemas(Vec<SchemaProps<'a>>),
}

impl Items<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Schemas(all) if all.is_empty())
    }
}

/// `additionalProperties`.
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties<'a> {
    /// Whether additional properties are allowed.
    Bool(bool),
    /// The schema of the values.
    Schema(Box<SchemaProps<'a>>),
}

/// A keyword of OpenAPI that a CustomResourceDefinition cannot have.
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
    /// Returns the keyword as it is written in a schema.
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

impl SchemaProps<'_> {
    /// Returns the schema of a property.
    pub fn property(&self, name: &str) -> Option<&Self> {
        let properties = self.properties.as_deref().unwrap_or_default();
        let found = properties.iter().find(|(key, _)| key == name);
        found.map(|(_, schema)| schema)
    }

    /// Returns the schema of the items, if it is one schema for all items.
    pub fn items(&self) -> Option<&Self> {
        match &self.items {
            Some(Items::Schema(items)) => Some(items),
            _ => None,
        }
    }

    /// Returns the schema of the values of a map.
    pub fn values(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(values),
            _ => None,
        }
    }

    /// Whether `required` lists the field.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// Returns the type, unless it is absent or empty.
    pub fn type_name(&self) -> Option<&str> {
        self.type_.as_deref().filter(|name| !name.is_empty())
    }

    /// Whether the schema has at least one property.
    pub fn has_properties(&self) -> bool {
        self.properties.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Whether the schema has a `$ref`, so that its content is unknown.
    pub fn is_reference(&self) -> bool {
        self.unsupported.contains(&Unsupported::Ref)
    }

    /// Whether `x-kubernetes-preserve-unknown-fields` is true.
    pub fn preserves_unknown_fields(&self) -> bool {
        self.preserve_unknown_fields == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn keywords_that_say_nothing() {
        let mut schema = SchemaProps {
            description: Some("".into()),
            enum_: Some(vec![]),
            items: Some(Items::Schemas(vec![])),
            preserve_unknown_fields: Some(false),
            ..SchemaProps::default()
        };
        assert_eq!(schema.keywords().next(), None);
        schema.exclusive_minimum = true;
        schema.max_length = Some(0);
        let keywords: Vec<_> = schema.keywords().collect();
        assert_eq!(keywords, ["exclusiveMinimum", "maxLength"]);
        let bounds: Vec<_> = schema.bounds().collect();
        assert_eq!(bounds, [("maxLength", AppliesTo::Text)]);
    }
}
