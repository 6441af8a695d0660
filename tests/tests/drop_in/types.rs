//! Types that are derived twice. This file does not name the derive.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Time, util::intstr::IntOrString};
use kube::core::Rule;
use serde::{Deserialize, Serialize};

use super::derives::{CustomResource, JsonSchema, KubeSchema};

/// What is wanted.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Everything",
    namespaced,
    doc = "Everything at once",
    plural = "everythings",
    singular = "everything",
    shortname = "ev",
    shortname = "evs",
    category = "all",
    status = "EverythingStatus",
    derive = "PartialEq",
    served = true,
    storage = true,
    deprecated = "old",
    label("example.com/a", "b"),
    annotation("example.com/c", "d"),
    selectable = ".spec.name",
    selectable = ".spec.nested.port",
    validation = "self.metadata.name == 'singleton'",
    validation = Rule::new("self.spec.count > 0").message("count!").reason(Reason::FieldValueForbidden),
    printcolumn(json_path = ".spec.name", name = "Name", type_ = "string"),
    printcolumn(
        name = "Count",
        type_ = "integer",
        json_path = ".spec.count",
        description = "How many.",
        format = "int32",
        priority = 1
    ),
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    scale(
        spec_replicas_path = ".spec.count",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.labelSelector"
    )
)]
#[x_kube(validation = "has(self.name)")]
#[x_kube(validation = ("self.count < 100", "too many"))]
#[x_kube(validation = Rule::new("self.count != 4").field_path(".count"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EverythingSpec {
    /// The name.
    ///
    /// In two paragraphs.
    pub(crate) name: String,
    #[serde(default = "some_text")]
    pub(crate) defaulted_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<String>,
    pub(crate) nullable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default = "some_option")]
    pub(crate) skipped_default: Option<String>,
    #[serde(default = "some_option")]
    pub(crate) nullable_default: Option<String>,
    #[serde(default)]
    pub(crate) plain_default: bool,
    #[x_kube(validation = "self > 1", validation = rule())]
    #[x_kube(validation = Rule::new("self != 3").message(Message::Expression("'no'".into())))]
    pub(crate) count: i32,
    pub(crate) numbers: Numbers,
    pub(crate) time: Time,
    pub(crate) quantity: Quantity,
    pub(crate) maybe_quantity: Option<Quantity>,
    pub(crate) port: IntOrString,
    #[schemars(length(min = 1, max = 5))]
    pub(crate) list: Vec<String>,
    #[schemars(inner(length(min = 1)))]
    pub(crate) inner: Vec<String>,
    pub(crate) hash_set: HashSet<String>,
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub(crate) merged_set: Vec<String>,
    #[x_kube(merge_strategy = ListMerge::Map(vec!["port".into()]))]
    pub(crate) merged_list: Vec<Nested>,
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub(crate) atomic_list: Vec<Nested>,
    #[x_kube(merge_strategy = MapMerge::Granular)]
    pub(crate) granular_map: BTreeMap<String, u8>,
    #[x_kube(merge_strategy = StructMerge::Atomic)]
    pub(crate) atomic_struct: Nested,
    pub(crate) map: HashMap<String, Nested>,
    pub(crate) any_map: BTreeMap<String, serde_json::Value>,
    pub(crate) mode: Mode,
    pub(crate) optional_mode: Option<Mode>,
    /// Which of the modes.
    pub(crate) described_mode: Mode,
    pub(crate) described_optional: Option<Described>,
    pub(crate) nested: Nested,
    pub(crate) optional_nested: Option<Nested>,
    pub(crate) newtype: Newtype,
    pub(crate) transparent: Transparent,
    #[serde(rename = "otherName")]
    pub(crate) renamed: String,
    #[serde(skip)]
    pub(crate) never: u8,
    #[serde(flatten)]
    pub(crate) flat: Flat,
    #[schemars(regex(pattern = "^a+$"))]
    pub(crate) pattern: String,
    #[schemars(email)]
    pub(crate) email: String,
    #[schemars(range(min = 1, max = 10))]
    pub(crate) ranged: i64,
    #[schemars(with = "String")]
    pub(crate) with: Opaque,
    #[schemars(schema_with = "custom")]
    pub(crate) schema_with: u8,
    #[schemars(extend("minLength" = 2))]
    pub(crate) extended: String,
    #[schemars(title = "A title", description = "A description")]
    pub(crate) annotated: String,
    pub(crate) tuple_list: Vec<Vec<i64>>,
    pub(crate) boxed: Box<Nested>,
    #[serde(default)]
    pub(crate) null_default: WithNull,
    #[schemars(example = 5)]
    pub(crate) example: u8,
}

fn some_text() -> String {
    "text".to_owned()
}

fn some_option() -> Option<String> {
    Some("option".to_owned())
}

fn rule() -> Rule {
    Rule::new("self != 2").message("not two")
}

fn custom(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "multipleOf": 2 })
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EverythingStatus {
    pub(crate) replicas: i32,
    pub(crate) label_selector: String,
    pub(crate) phase: Option<Mode>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) u8: u8,
    pub(crate) u16: u16,
    pub(crate) u32: u32,
    pub(crate) u64: u64,
    pub(crate) usize: usize,
    pub(crate) i8: i8,
    pub(crate) i16: i16,
    pub(crate) i32: i32,
    pub(crate) i64: i64,
    pub(crate) isize: isize,
    pub(crate) f32: f32,
    pub(crate) f64: f64,
    pub(crate) optional: Option<u32>,
}

/// Something in something.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Nested {
    /// A port.
    pub(crate) port: u16,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) mode: Mode,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    #[default]
    ReadOnly,
    ReadWrite,
}

/// With words.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) enum Described {
    /// The one.
    One,
    Other,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct WithNull {
    pub(crate) null: Option<bool>,
    pub(crate) other: u8,
}

/// Just a number.
#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Newtype(#[schemars(range(max = 9))] pub(crate) u8);

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub(crate) struct Transparent {
    pub(crate) inner: Vec<u8>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flat {
    pub(crate) flat_one: String,
    pub(crate) flat_two: Option<bool>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub(crate) struct Opaque(pub(crate) String);

/// A container of defaults.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Bare", derive = "Default")]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct BareSpec {
    pub(crate) first_size: u8,
    pub(crate) second: Option<String>,
    pub(crate) set: BTreeSet<i32>,
}

impl Default for BareSpec {
    fn default() -> Self {
        Self { first_size: 3, second: Some("two".to_owned()), set: [1].into() }
    }
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "dropin.example.com",
    version = "v1alpha1",
    kind = "Rootless",
    root = "RootlessObject",
    no_spec,
    served = false,
    storage = false,
    deprecated,
    status = "EverythingStatus"
)]
pub(crate) struct Rootless {
    pub(crate) colour: String,
    pub(crate) size: Option<u8>,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Open")]
pub(crate) struct OpenSpec {
    pub(crate) known: String,
    #[serde(flatten)]
    pub(crate) others: HashMap<String, serde_json::Value>,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Schemaless", schema = "disabled")]
pub(crate) struct SchemalessSpec {
    pub(crate) anything: serde_json::Value,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Scaled",
    scale = r#"{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}"#
)]
pub(crate) struct ScaledSpec {
    pub(crate) replicas: i32,
}
