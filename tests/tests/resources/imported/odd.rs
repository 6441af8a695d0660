//! The kind `Odd` of `import.example.com`.
//!
//! Differences from the imported definition:
//!
//! - `nullable` of `v1.spec.enumIntegerNull` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `nullable` of `v1.spec.enumItems[]` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `nullable` of `v1.spec.enumNull` is left out: null never matches an `enum`: remove `nullable`, and the server drops nulls
//! - `enum` of `v1.spec.enumOfNothing` is left out: no value passes: "a" of the `enum` is not of the type `integer`
//! - `nullable` of `v1.spec.enumOnlyNull` is left out: no value passes: null of the `enum` is not of the type `string`
//! - `enum` of `v1.spec.enumOnlyNull` is left out: no value passes: null of the `enum` is not of the type `string`
//! - `minimum` of `v1.spec.fraction` is left out: no value passes: `minimum` is 0.5, but the bounds of integers must be whole numbers
//! - `multipleOf` of `v1.spec.fraction` is left out: no value passes: `multipleOf` is 0.5, but the bounds of integers must be whole numbers
//! - `maximum` of `v1.spec.large` is left out: no value passes: `maximum` is 100000000000000000000, which is out of the range of the type `integer` and its format
//! - `maxItems` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `minProperties` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `minimum` of `v1.spec.misplaced` is left out: `minimum` applies to numbers, but the value is a string; use `minLength`
//! - `maxLength` of `v1.spec.never` is left out: no length is both at least 3 and at most 2
//! - `maximum` of `v1.spec.neverNumber` is left out: no number is both at least 3 and at most 2
//! - v1: `.spec.enumIntegerNull` has no null beside its `enum`, with which the API server never accepts null
//! - v1: `.spec.enumItems[*]` has no null beside its `enum`, with which the API server never accepts null
//! - v1: `.spec.enumNull` has no null beside its `enum`, with which the API server never accepts null
//! - v1: `.spec.format` has no format `my format`, which the API server ignores
//! - v1: `.spec.formatOfNumber` has no format `int32`, which the API server ignores

use std::collections::BTreeMap;

use crdkit::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

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
    #[crd(nullable = false, schema_patch({ "enum": [true] }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enum_booleans: Option<bool>,
    #[crd(default = "B")]
    pub enum_default: OddSpecEnumDefault,
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
    #[crd(nullable = false, description = "- a\n\n      this;")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maps: Option<BTreeMap<String, Vec<OddSpecMapsValueItem>>>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misplaced: Option<String>,
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
    pub nullable_object: Option<OddSpecNullableObject>,
    #[crd(nullable)]
    pub nullable_required: Option<String>,
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
pub struct OddSpecNullableObject {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
}
