//! A tree of schema nodes: each has its own keywords and its nested nodes.

use std::{collections::BTreeMap, mem::take};

use crdkit_core::{literal::cel::key_pattern, schema::SchemaProps};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::Value;

use crate::crd::{crd_accessors::read, generate::pattern::Pattern};

/// A node of a schema.
pub struct SchemaNode {
    /// The whole schema, in the form for validation.
    pub(crate) schema: SchemaProps<'static>,
    /// The node's own keywords, without nested schemas and documentation.
    pub(crate) keywords: JSONSchemaProps,
    pub(crate) properties: BTreeMap<String, SchemaNode>,
    pub(crate) items: Option<Box<SchemaNode>>,
    pub(crate) values: Values,
    pub(crate) all_of: Vec<SchemaNode>,
    pub(crate) any_of: Vec<SchemaNode>,
    pub(crate) one_of: Vec<SchemaNode>,
    pub(crate) not: Option<Box<SchemaNode>>,
    /// The pattern; `None` if there is none, or if matching texts cannot be generated.
    pub(crate) pattern: Option<Pattern>,
    /// Patterns of the keys of a map.
    pub(crate) key_patterns: Vec<Pattern>,
    /// The only values to generate; if empty, any value.
    pub(crate) only: Vec<Value>,
    /// Whether no value is generated.
    pub(crate) is_skipped: bool,
    /// Whether integers decode as an `i32`, which the schema does not express.
    pub(crate) is_int32: bool,
}

/// The kinds of `additionalProperties`.
pub(crate) enum Values {
    Unnamed,
    Allowed,
    Forbidden,
    Of(Box<SchemaNode>),
}

fn key_patterns(schema: &JSONSchemaProps) -> Vec<Pattern> {
    let rules = schema.x_kubernetes_validations.iter().flatten();
    rules.filter_map(|rule| Pattern::parse(&key_pattern(&rule.rule)?)).collect()
}

impl SchemaNode {
    /// Reads a schema.
    pub fn new(mut schema: JSONSchemaProps) -> Self {
        let whole = read::schema(&schema).into_owned();
        schema.description = None;
        schema.title = None;
        schema.example = None;
        schema.external_docs = None;
        let all =
            |schemas: &mut Option<Vec<JSONSchemaProps>>| take(schemas).into_iter().flatten().map(Self::new).collect();
        let boxed = |schema: Box<JSONSchemaProps>| Box::new(Self::new(*schema));
        let properties = take(&mut schema.properties).into_iter().flatten();
        Self {
            schema: whole,
            properties: properties.map(|(name, schema)| (name, Self::new(schema))).collect(),
            items: match take(&mut schema.items) {
                Some(JSONSchemaPropsOrArray::Schema(items)) => Some(boxed(items)),
                _ => None,
            },
            values: match take(&mut schema.additional_properties) {
                None => Values::Unnamed,
                Some(JSONSchemaPropsOrBool::Bool(true)) => Values::Allowed,
                Some(JSONSchemaPropsOrBool::Bool(false)) => Values::Forbidden,
                Some(JSONSchemaPropsOrBool::Schema(values)) => Values::Of(boxed(values)),
            },
            all_of: all(&mut schema.all_of),
            any_of: all(&mut schema.any_of),
            one_of: all(&mut schema.one_of),
            not: take(&mut schema.not).map(boxed),
            pattern: schema.pattern.as_deref().and_then(Pattern::parse),
            key_patterns: key_patterns(&schema),
            only: Vec::new(),
            is_skipped: false,
            is_int32: false,
            keywords: schema,
        }
    }

    /// Returns the types that a value can have; `None` if it can have any.
    pub(crate) fn types(&self) -> Option<&[&str]> {
        if is(self.keywords.x_kubernetes_int_or_string) {
            return Some(&["integer", "string"]);
        }
        Some(match self.keywords.type_.as_deref()? {
            "array" => &["array"],
            "boolean" => &["boolean"],
            "integer" => &["integer"],
            "number" => &["number"],
            "object" => &["object"],
            _ => &["string"],
        })
    }

    pub(crate) fn allowed(&self) -> impl Iterator<Item = &Value> {
        self.keywords.enum_.iter().flatten().map(|JSON(value)| value)
    }

    pub(crate) fn required(&self) -> impl Iterator<Item = &String> {
        self.keywords.required.iter().flatten()
    }

    pub(crate) fn preserves(&self) -> bool {
        is(self.keywords.x_kubernetes_preserve_unknown_fields)
    }

    pub(crate) fn is_embedded(&self) -> bool {
        is(self.keywords.x_kubernetes_embedded_resource)
    }

    pub(crate) fn is_nullable(&self) -> bool {
        is(self.keywords.nullable)
    }

    /// Returns the schema of an object's member; `None` if it has none of its own.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or(match &self.values {
            Values::Of(values) => Some(values),
            _ => None,
        })
    }
}

pub(crate) fn is(flag: Option<bool>) -> bool {
    flag == Some(true)
}
