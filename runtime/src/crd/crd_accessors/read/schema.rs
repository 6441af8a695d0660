//! Converts schemas, with one function for each value form in the table of keywords.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit_core::{
    for_each_keyword,
    json::Json,
    schema::{AdditionalProperties, EmptyKeywords, ExternalDocs, Items, SchemaProps, Unsupported, ValidationRule},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    ValidationRule as RuleProps,
};

use self::{copied as choice, copied as count, copied as number};
use crate::crd::crd_accessors::read::{given as text, json, optional as word, texts};

/// The field of `k8s-openapi` for a row of the table of keywords.
#[rustfmt::skip]
macro_rules! field {
    ($schema:ident, [$field:ident]) => { $schema.$field };
    ($schema:ident, [$field:ident $k8s:ident]) => { $schema.$k8s };
}

/// Whether the list of a keyword is present and empty; for `properties`, the map itself shows this.
#[rustfmt::skip]
macro_rules! is_empty {
    (texts, $all:expr) => { is_empty(&$all) };
    (values, $all:expr) => { is_empty(&$all) };
    (rules, $all:expr) => { is_empty(&$all) };
    (branches, $all:expr) => { is_empty(&$all) };
    ($form:ident, $value:expr) => { false };
}

macro_rules! declare {
    (keywords { $($field:ident $source:tt $name:literal $form:ident $doc:literal;)+ } $($rest:tt)*) => {
        /// Converts a schema.
        pub fn schema(schema: &JSONSchemaProps) -> SchemaProps<'_> {
            SchemaProps {
                $($field: $form(&field!(schema, $source)),)+
                unsupported: unsupported(schema),
                empty: EmptyKeywords(empty(schema)),
            }
        }

        fn empty(schema: &JSONSchemaProps) -> Vec<&'static str> {
            let keywords = [
                $((is_empty!($form, field!(schema, $source)), $name),)+
                (schema.ref_path.as_deref() == Some(""), "$ref"),
                (has_none(&schema.definitions), "definitions"),
                (has_none(&schema.dependencies), "dependencies"),
                (has_none(&schema.pattern_properties), "patternProperties"),
            ];
            there(keywords)
        }
    };
}
for_each_keyword!(declare);

fn unsupported(schema: &JSONSchemaProps) -> Vec<Unsupported> {
    there([
        (text(&schema.ref_path).is_some(), Unsupported::Ref),
        (text(&schema.schema).is_some(), Unsupported::Schema),
        (text(&schema.id).is_some(), Unsupported::Id),
        (schema.additional_items.is_some(), Unsupported::AdditionalItems),
        (has_some(&schema.pattern_properties), Unsupported::PatternProperties),
        (has_some(&schema.definitions), Unsupported::Definitions),
        (has_some(&schema.dependencies), Unsupported::Dependencies),
    ])
}

fn there<T, const N: usize>(keywords: [(bool, T); N]) -> Vec<T> {
    let there = keywords.into_iter().filter(|(is_there, _)| *is_there);
    there.map(|(_, keyword)| keyword).collect()
}

fn is_empty<T>(list: &Option<Vec<T>>) -> bool {
    list.as_ref().is_some_and(Vec::is_empty)
}

fn has_none<T>(map: &Option<BTreeMap<String, T>>) -> bool {
    map.as_ref().is_some_and(BTreeMap::is_empty)
}

fn has_some<T>(map: &Option<BTreeMap<String, T>>) -> bool {
    map.as_ref().is_some_and(|it| !it.is_empty())
}

const fn flag(flag: &Option<bool>) -> bool {
    matches!(flag, Some(true))
}

const fn copied<T: Copy>(value: &T) -> T {
    *value
}

/// Converts a value; null counts as absent.
fn value(value: &Option<JSON>) -> Option<Json<'_>> {
    let value = value.as_ref().map(|JSON(value)| json(value));
    value.filter(|it| !it.is_null())
}

fn values(all: &Option<Vec<JSON>>) -> Option<Vec<Json<'_>>> {
    let all = all.as_deref()?.iter();
    Some(all.map(|JSON(value)| json(value)).collect())
}

fn docs(docs: &Option<ExternalDocumentation>) -> Option<ExternalDocs<'_>> {
    let docs = docs.as_ref()?;
    Some(ExternalDocs {
        description: word(&docs.description).unwrap_or_default(),
        url: word(&docs.url).unwrap_or_default(),
    })
}

fn rules(all: &Option<Vec<RuleProps>>) -> Vec<ValidationRule<'_>> {
    all.iter().flatten().map(rule).collect()
}

fn rule(rule: &RuleProps) -> ValidationRule<'_> {
    ValidationRule {
        rule: Cow::Borrowed(&rule.rule),
        message: text(&rule.message),
        message_expression: text(&rule.message_expression),
        reason: word(&rule.reason),
        field_path: text(&rule.field_path),
        optional_old_self: rule.optional_old_self,
    }
}

fn branch(branch: &Option<Box<JSONSchemaProps>>) -> Option<Box<SchemaProps<'_>>> {
    branch.as_deref().map(|branch| Box::new(schema(branch)))
}

fn branches(all: &Option<Vec<JSONSchemaProps>>) -> Vec<SchemaProps<'_>> {
    all.iter().flatten().map(schema).collect()
}

fn properties(all: &Option<BTreeMap<String, JSONSchemaProps>>) -> Option<Vec<(Cow<'_, str>, SchemaProps<'_>)>> {
    let all = all.as_ref()?.iter();
    let property = |(name, property)| (Cow::Borrowed(String::as_str(name)), schema(property));
    Some(all.map(property).collect())
}

fn items(items: &Option<JSONSchemaPropsOrArray>) -> Option<Items<'_>> {
    Some(match items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Items::Schema(Box::new(schema(items))),
        JSONSchemaPropsOrArray::Schemas(all) => Items::Schemas(all.iter().map(schema).collect()),
    })
}

fn additional(additional: &Option<JSONSchemaPropsOrBool>) -> Option<AdditionalProperties<'_>> {
    Some(match additional.as_ref()? {
        JSONSchemaPropsOrBool::Schema(values) => AdditionalProperties::Schema(Box::new(schema(values))),
        JSONSchemaPropsOrBool::Bool(any) => AdditionalProperties::Bool(*any),
    })
}
