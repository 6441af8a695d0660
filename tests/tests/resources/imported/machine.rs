//! The kind `Machine` of `import.example.com`.

use std::collections::BTreeMap;

use crdkit::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};

/// The machine.
///
/// It has several lines.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "import.example.com", version = "v1", kind = "Machine", plural = "machines")]
#[crd(namespaced, nullable = false, status = "MachineStatus", derive = "PartialEq")]
#[crd(shortname = "mc", category = "all")]
#[crd(label("app", "machines"))]
#[crd(annotation("example.com/owner", "team"))]
#[crd(doc = "Machine is a machine.")]
#[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
#[crd(printcolumn(name = "Mode", type_ = "string", json_path = ".spec.mode", description = "How it runs."))]
#[crd(printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas", priority = 1))]
#[crd(selectable = ".spec.mode")]
#[crd(validation = ("self.metadata.name.size() < 60", "the name is too long"))]
#[x_kube(validation = Rule::new("self.replicas > 0 || self.mode == 'Off'").message(Message::Expression("'mode ' + self.mode + ' needs replicas'".into())).field_path(".replicas").reason(Reason::FieldValueInvalid))]
pub struct MachineSpec {
    #[crd(preserve_unknown_fields)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anything: Option<serde_json::Value>,
    /// Its disks.
    #[crd(max_items = 4, list_type = "map", list_map_keys = ["name"])]
    pub disks: Vec<MachineSpecDisksItem>,
    #[crd(nullable = false)]
    #[crd(schema_patch({ "additionalProperties": null, "x-kubernetes-preserve-unknown-fields": true }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<BTreeMap<String, serde_json::Value>>,
    #[crd(min_length = 1, max_length = 63, pattern = "^[a-z]+$", default = "localhost")]
    pub host: String,
    #[crd(max_properties = 9, values(max_length = 9))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<BTreeMap<String, MachineSpecLimitsValue>>,
    pub mode: MachineSpecMode,
    #[crd(format = "cidr", validation = ("self == oldSelf", "cannot change"))]
    #[serde(rename = "podCIDR", skip_serializing_if = "Option::is_none")]
    pub pod_cidr: Option<String>,
    #[crd(int_or_string)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<IntOrString>,
    #[crd(int_or_string, pattern = "^[0-9]+(Ki|Mi)?$")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<IntOrString>,
    /// The number of machines.
    #[crd(minimum = 0, maximum = 10)]
    pub replicas: i32,
    #[crd(exclusive_minimum = 0.0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<MachineSpecSource>,
    #[crd(nullable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    #[crd(nullable = false, schema_patch({ "format": null, "maximum": 3.0 }))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<i64>,
    #[crd(max_items = 9, list_type = "set", items(max_length = 20))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Vec<String>>,
}

/// A disk.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(struct_type = "atomic")]
#[serde(rename_all = "camelCase")]
pub struct MachineSpecDisksItem {
    pub name: String,
    #[crd(default = 8)]
    pub size_gb: i64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct MachineSpecLimitsValue {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<bool>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum MachineSpecMode {
    On,
    Off,
    #[serde(rename = "stand-by")]
    StandBy,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(schema_patch({ "minProperties": 1, "oneOf": [{ "required": ["git"] }, { "required": ["http"] }] }))]
pub struct MachineSpecSource {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct MachineStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<MachineStatusConditionsItem>>,
    pub replicas: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct MachineStatusConditionsItem {
    #[crd(format = "date-time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<String>,
    pub r#type: String,
}
