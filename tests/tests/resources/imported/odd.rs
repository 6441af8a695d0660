//! The kind `Odd` of `import.example.com`.
//!
//! Differences from the imported definition:
//!
//! - `maximum` of `v1.spec.beyondIntegers` is left out: `maximum` is 100000000000000000000, which is beyond the server's integers, so that it refuses every whole number: write the rule `self <= double('100000000000000000000')` instead
//! - `maximum` of `v1.spec.boundsOfInt64` is left out: no value passes: `minimum` is -9223372036854776000, which is out of the range of the type `integer` and its format
//! - `minimum` of `v1.spec.boundsOfInt64` is left out: no value passes: `minimum` is -9223372036854776000, which is out of the range of the type `integer` and its format
//! - `nullable` of `v1.spec.enumDefaultNull` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `nullable` of `v1.spec.enumIntegerNull` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `nullable` of `v1.spec.enumItems[]` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `nullable` of `v1.spec.enumNull` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `enum` of `v1.spec.enumOfNothing` is left out: no value passes: "a" of the `enum` is not of the type `integer`
//! - `nullable` of `v1.spec.enumOnlyNull` is left out: no value passes: null of the `enum` is not of the type `string`
//! - `enum` of `v1.spec.enumOnlyNull` is left out: no value passes: null of the `enum` is not of the type `string`
//! - `minimum` of `v1.spec.fraction` is left out: no value passes: `minimum` is 0.5, but the bounds of integers must be whole numbers
//! - `multipleOf` of `v1.spec.fraction` is left out: no value passes: `multipleOf` is 0.5, but the bounds of integers must be whole numbers
//! - `anyOf` of `v1.spec.fractionalBranch.anyOf[0]` is left out: `minimum` is 0.5, of which the server compares only the integer part with whole numbers, so that it accepts 0: write the rule `self >= 0.5` instead
//! - `not` of `v1.spec.fractionalBranch.not` is left out: `minimum` is 7.5, of which the server compares only the integer part with whole numbers, so that it accepts 7: write the rule `self >= 7.5` instead
//! - `minimum` of `v1.spec.fractionalFactor` is left out: `minimum` is 0.25, of which the server compares only the integer part with whole numbers, so that it accepts 0: write the rule `self >= 0.25` instead
//! - `multipleOf` of `v1.spec.fractionalFactor` is left out: `multipleOf` is 0.5, of which the server compares only the integer part with whole numbers, so that it refuses 1: use integers of a smaller unit
//! - `maximum` of `v1.spec.fractionalIntOrString` is left out: `maximum` is -0.5, of which the server compares only the integer part with whole numbers, so that it accepts 0: write the rule `self <= -0.5` instead
//! - `exclusiveMaximum` of `v1.spec.fractionalMaximum` is left out: `maximum` is 2.5, of which the server compares only the integer part with whole numbers, so that it refuses 2: write the rule `self < 2.5` instead
//! - `minimum` of `v1.spec.fractionalMinimum` is left out: `minimum` is 0.5, of which the server compares only the integer part with whole numbers, so that it accepts 0: write the rule `self >= 0.5` instead
//! - `minimum` of `v1.spec.fractionalValues[*]` is left out: `minimum` is 0.5, of which the server compares only the integer part with whole numbers, so that it accepts 0: write the rule `self >= 0.5` instead
//! - `maximum` of `v1.spec.large` is left out: no value passes: `maximum` is 100000000000000000000, which is out of the range of the type `integer` and its format
//! - `maxItems` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `minProperties` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `minimum` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `required: b` of `v1.spec.missing` is left out: `b` is required but is not a field, so no object is accepted: add it to `properties`, or remove it from `required`
//! - `maxLength` of `v1.spec.never` is left out: no length is both at least 3 and at most 2
//! - `maximum` of `v1.spec.neverNumber` is left out: no number is both at least 3 and at most 2
//! - `additionalProperties: true` of `v1.spec.openMap` is left out: the server drops the content of objects in the map: write `additionalProperties: {x-kubernetes-preserve-unknown-fields: true}`
//! - v1: `.spec.enumIntegerNull` has no null beside its `enum`, with which the API server never accepts null
//! - v1: `.spec.enumItems[*]` has no null beside its `enum`, with which the API server never accepts null
//! - v1: `.spec.enumNull` has no null beside its `enum`, with which the API server never accepts null
//! - v1: a repeated value in the `enum` of `.spec.enumTwice` is written once
//! - v1: `.spec.format` has no format `my format`, which the API server ignores
//! - v1: `.spec.formatOfNumber` has no format `int32`, which the API server ignores

use std::collections::BTreeMap;

use crdkit::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "import.example.com", version = "v1", kind = "Odd", plural = "odds")]
#[crd(namespaced, nullable = false, derive = "PartialEq")]
#[crd(doc = "Odd.\n\n    let a = b;\n")]
#[crd(schema_patch({ "required": ["nullableRequired"] }), description = "For example:\n\n```\nnot Rust;\n```")]
#[serde(rename_all = "camelCase")]
pub struct OddSpec {
    #[crd(nullable = false)]
    #[serde(rename = "", skip_serializing_if = "Option::is_none")]
    pub x_: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "1", skip_serializing_if = "Option::is_none")]
    pub x_1: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "_", skip_serializing_if = "Option::is_none")]
    pub x__: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "a b", skip_serializing_if = "Option::is_none")]
    pub a_b: Option<String>,
    #[crd(preserve_unknown_fields, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any: Option<serde_json::Value>,
    #[crd(pattern = "`", enum_values = ["`"], nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backtick: Option<String>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_integers: Option<f64>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds_of_int64: Option<i64>,
    /// a */ b "# c \
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crate_: Option<String>,
    #[crd(default = serde_json::json!([{ "a": "b" }]))]
    pub default_list: Vec<OddSpecDefaultListItem>,
    #[crd(default = serde_json::json!({ "a": "b" }))]
    pub default_map: BTreeMap<String, String>,
    #[crd(nullable = false, schema_patch({ "default": 1000.0, "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_number: Option<f64>,
    #[crd(default = serde_json::json!({ "a": 1 }))]
    pub default_object: OddSpecDefaultObject,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_object: Option<OddSpecEmptyObject>,
    #[crd(preserve_unknown_fields, nullable = false, schema_patch({ "enum": [1, "a", { "b": 1 }] }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_any: Option<serde_json::Value>,
    #[crd(nullable = false, schema_patch({ "enum": [true] }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_booleans: Option<bool>,
    #[crd(default = "B")]
    pub enum_default: OddSpecEnumDefault,
    #[crd(default = "A")]
    pub enum_default_null: OddSpecEnumDefaultNull,
    #[crd(enum_values = ["1", "2"], nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_digits: Option<String>,
    #[crd(enum_values = [""], nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_empty: Option<String>,
    #[crd(enum_values = ["a-b", "aB", "a.b"], nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_equal: Option<String>,
    #[crd(nullable = false, schema_patch({ "enum": [1, 2], "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_integer_null: Option<i64>,
    #[crd(nullable = false, schema_patch({ "enum": [1, 2], "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_integers: Option<i64>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_items: Option<Vec<OddSpecEnumItemsItem>>,
    #[crd(enum_values = ["Self", "self", "crate", "true"], nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_keywords: Option<String>,
    #[crd(int_or_string, nullable = false, schema_patch({ "enum": [1, "a"] }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_mixed: Option<IntOrString>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_null: Option<OddSpecEnumNull>,
    #[crd(nullable = false, schema_patch({ "enum": [0.5, 1], "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_numbers: Option<f64>,
    #[crd(nullable = false)]
    #[crd(schema_patch({ "additionalProperties": null, "enum": [{ "a": 1 }], "x-kubernetes-preserve-unknown-fields": true }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_objects: Option<BTreeMap<String, serde_json::Value>>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_of_nothing: Option<i64>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_only_null: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_twice: Option<OddSpecEnumTwice>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_values: Option<BTreeMap<String, OddSpecEnumValuesValue>>,
    #[crd(nullable = false, description = "Like\n~~~\nthis;\n~~~")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fenced: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "foo-bar", skip_serializing_if = "Option::is_none")]
    pub foo_bar: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foo_bar_: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "foo_bar", skip_serializing_if = "Option::is_none")]
    pub foo_bar__: Option<String>,
    #[crd(nullable = false, schema_patch({ "format": "my\nformat" }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[crd(nullable = false, schema_patch({ "format": "int32" }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_of_number: Option<f64>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<i64>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_branch: Option<f64>,
    #[crd(nullable = false, schema_patch({ "format": null, "maximum": 0.75 }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_factor: Option<f64>,
    #[crd(int_or_string, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_int_or_string: Option<IntOrString>,
    #[crd(nullable = false, schema_patch({ "items": { "exclusiveMinimum": true, "format": null, "minimum": 0.5 } }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_items: Option<Vec<f64>>,
    #[crd(nullable = false, schema_patch({ "format": null, "maximum": 2.5 }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_maximum: Option<f64>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_minimum: Option<f64>,
    #[crd(nullable = false, schema_patch({ "additionalProperties": { "format": null, "maximum": 0.75 } }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractional_values: Option<BTreeMap<String, f64>>,
    #[crd(nullable = false, description = "# a")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// <html> & <a b> [c](d
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    #[crd(nullable = false, description = "Like:\n\n    this;\n\nand\tthat")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indented: Option<String>,
    #[crd(int_or_string, default = "80%")]
    pub int_or_string: IntOrString,
    #[crd(items(int_or_string), nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub int_or_strings: Option<Vec<IntOrString>>,
    #[crd(nullable = false, schema_patch({ "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large: Option<i64>,
    #[crd(nullable = false, schema_patch({ "default": 9007199254740993_i64, "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large_default: Option<i64>,
    #[crd(enum_values = [9007199254740993], example = 9007199254740993_i64, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large_enum: Option<i64>,
    #[crd(nullable = false)]
    #[crd(schema_patch({ "additionalProperties": { "format": null }, "default": { "a": 9007199254740993_i64 } }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large_member: Option<BTreeMap<String, i64>>,
    #[crd(nullable = false, description = "- a\n\n      this;")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<String>,
    #[crd(nullable, values(nullable, values(nullable)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_of_maps: Option<BTreeMap<String, Option<BTreeMap<String, Option<String>>>>>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maps: Option<BTreeMap<String, Vec<OddSpecMapsValueItem>>>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misplaced: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<OddSpecMissing>,
    #[crd(items(items(items(max_length = 3))), nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<Vec<Vec<Vec<String>>>>,
    #[crd(min_length = 3, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    #[crd(nullable = false, schema_patch({ "format": null, "minimum": 3.0 }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_number: Option<i64>,
    #[crd(nullable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null_default: Option<String>,
    #[crd(nullable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nullable_object: Option<OddSpecNullableObject>,
    #[crd(nullable)]
    pub nullable_required: Option<String>,
    #[crd(values(preserve_unknown_fields), nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_map: Option<BTreeMap<String, serde_json::Value>>,
    #[crd(pattern = "^\"#\\d'$", nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[crd(nullable = false, description = ">     this;")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    #[crd(nullable = false)]
    #[crd(schema_patch({ "additionalProperties": null, "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<BTreeMap<String, serde_json::Value>>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_with_fields: Option<OddSpecResourceWithFields>,
    #[crd(nullable = false)]
    #[crd(schema_patch({ "additionalProperties": { "additionalProperties": null, "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<BTreeMap<String, BTreeMap<String, serde_json::Value>>>,
    #[crd(nullable = false, description = "a\rb")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
    #[crd(validation = (r#"self != "a\\""#, "\"#\\"), nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_: Option<String>,
    #[crd(nullable = false, description = " a ")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spaces: Option<String>,
    #[crd(nullable = false, description = "a\u{202e}b")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    #[crd(nullable = false)]
    #[serde(rename = "ä", skip_serializing_if = "Option::is_none")]
    pub x___: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecDefaultListItem {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecDefaultObject {
    #[crd(nullable = false, schema_patch({ "default": 2, "format": null }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<i64>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecEmptyObject {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumDefault {
    A,
    B,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumDefaultNull {
    A,
    B,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumItemsItem {
    #[serde(rename = "a")]
    A,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumNull {
    A,
    B,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumTwice {
    A,
    B,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum OddSpecEnumValuesValue {
    #[serde(rename = "a")]
    A,
    #[serde(rename = "b")]
    B,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecMapsValueItem {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<bool>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecMissing {
    pub a: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecNullableObject {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(preserve_unknown_fields, schema_patch({ "x-kubernetes-embedded-resource": true }))]
#[serde(rename_all = "camelCase")]
pub struct OddSpecResourceWithFields {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<OddSpecResourceWithFieldsMetadata>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct OddSpecResourceWithFieldsMetadata {
    #[crd(max_length = 5, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
