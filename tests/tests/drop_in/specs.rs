//! Resources with what kube-derive's documentation and tests show. Derived twice; this file does not name the derive.

use std::collections::HashSet;

use k8s_openapi::{
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::{apis::meta::v1::ObjectMeta, util::intstr::IntOrString},
    jiff::Timestamp,
};
use serde::{Deserialize, Serialize};

use super::derives::{CustomResource, JsonSchema, KubeSchema, Resource};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Least", namespaced)]
pub(crate) struct LeastSpec {
    pub(crate) info: String,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Foot",
    root = "FootObject",
    namespaced,
    doc = "Everything at once",
    status = "FootStatus",
    derive = "PartialEq",
    attr = "allow(clippy::large_enum_variant)",
    singular = "footlet",
    plural = "feetz",
    shortname = "ft",
    label("dropin.example.com/a", "b"),
    annotation("dropin.example.com/c", "d"),
    scale = r#"{"specReplicasPath": ".spec.replicasCount", "statusReplicasPath": ".status.replicas"}"#,
    printcolumn(
        name = "Data",
        type_ = "string",
        description = "what is in it",
        json_path = ".spec.data",
        priority = 0
    ),
    selectable = ".spec.replicasCount"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FootSpec {
    #[schemars(length(min = 3))]
    pub(crate) data: String,
    pub(crate) replicas_count: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FootStatus {
    pub(crate) replicas: usize,
    pub(crate) label_selector: String,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Typed",
    status = "FootStatus",
    printcolumn(json_path = ".spec.replicas", name = "Replicas", type_ = "integer"),
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".spec.labelSelector"
    )
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TypedSpec {
    pub(crate) replicas: i32,
    pub(crate) label_selector: String,
}

/// The same, written as it was written formerly.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Raw",
    status = "FootStatus",
    printcolumn = r#"{"jsonPath": ".spec.replicas", "name": "Replicas", "type": "integer"}"#,
    scale = r#"{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".spec.labelSelector"}"#
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RawSpec {
    pub(crate) replicas: i32,
    pub(crate) label_selector: String,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Ruled", validation = "self.metadata.name == 'singleton'")]
#[x_kube(validation = "self == oldSelf")]
pub(crate) struct RuledSpec {
    #[serde(default = "some_value")]
    #[x_kube(validation = Rule::new("self != ''").message("failure message"))]
    pub(crate) field: String,
}

fn some_value() -> String {
    "value".into()
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Checked",
    namespaced,
    validation = "self.spec.replicas <= self.spec.maxReplicas"
)]
#[x_kube(validation = "self.replicas <= self.maxReplicas")]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckedSpec {
    #[x_kube(validation = "self >= 0")]
    pub(crate) replicas: i32,
    pub(crate) max_replicas: i32,
    #[x_kube(validation = "self == oldSelf")]
    pub(crate) fixed: String,
}

/// Of several attributes at once.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Assorted", status = "FootStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssortedSpec {
    pub(crate) timestamp: Timestamp,
    /// A choice.
    #[x_kube(validation = "!has(self.variantOne) || self.variantOne.int > 22")]
    pub(crate) choice: ChoiceSpec,
    /// A person.
    pub(crate) person: Person,
    #[validate(length(min = 1))]
    pub(crate) validated: Vec<String>,
    pub(crate) set: HashSet<String>,
    #[serde(default = "AssortedSpec::yes")]
    pub(crate) associated: bool,
    pub(crate) optional: Option<Kin>,
    /// Preferred.
    pub(crate) documented: Option<Kin>,
    pub(crate) required_port: IntOrString,
    pub(crate) optional_port: Option<IntOrString>,
    pub(crate) strict: Strict,
}

impl AssortedSpec {
    fn yes() -> bool {
        true
    }
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase", untagged)]
pub(crate) enum Person {
    Aged(Aged),
    Born(Born),
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Aged {
    /// Which kin.
    kin: Kin,
    /// In years.
    age: i32,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Born {
    /// Which kin.
    kin: Kin,
    /// As a date.
    date_of_birth: String,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "PascalCase")]
pub(crate) enum Kin {
    Near,
    Far,
    /// Not known.
    Other,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Strict {
    one: String,
    two: bool,
    three: i32,
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Choice")]
#[serde(rename_all = "camelCase")]
#[allow(clippy::enum_variant_names)]
pub(crate) enum ChoiceSpec {
    /// With an integer.
    VariantOne { int: i32 },
    /// With text.
    VariantTwo { str: String },
    /// With nothing.
    VariantThree {},
}

/// All variants are objects.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Either")]
pub(crate) enum EitherSpec {
    /// Text.
    A(String),
    /// A number.
    B(u32),
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Undescribed")]
pub(crate) enum UndescribedSpec {
    A(String),
    B { inner: u32 },
}

/// Their fields are the same.
#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Loose")]
#[serde(untagged)]
pub(crate) enum LooseSpec {
    A {
        /// In both.
        inner: u32,
        /// Only here.
        additional: String,
    },
    B {
        /// In both.
        inner: u32,
    },
}

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(group = "dropin.example.com", version = "v1", kind = "Bucket", namespaced, no_spec, derive = "PartialEq")]
pub(crate) struct BucketFields {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<String>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "dropin.example.com",
    version = "v1",
    kind = "Shard",
    namespaced,
    no_spec,
    status = "FootStatus",
    validation = "has(self.replicas)"
)]
pub(crate) struct ShardFields {
    #[x_kube(validation = Rule::new("self >= 1").message("at least one replica"))]
    pub(crate) replicas: i32,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "dropin.example.com", version = "v1", kind = "ByHand", schema = "manual")]
pub(crate) struct ByHandSpec {
    pub(crate) size: i32,
}

impl schemars::JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": { "spec": { "type": "object", "properties": { "size": { "type": "integer" } } } },
        })
    }
}

#[derive(Resource, Default)]
#[resource(inherit = "ConfigMap")]
#[allow(dead_code)]
pub(crate) struct TypedMap {
    pub(crate) metadata: ObjectMeta,
    pub(crate) data: Option<String>,
}

#[derive(Resource, Default)]
#[resource(inherit = "Secret")]
#[allow(dead_code)]
pub(crate) struct TypedSecret {
    pub(crate) metadata: ObjectMeta,
    pub(crate) data: Option<String>,
}
