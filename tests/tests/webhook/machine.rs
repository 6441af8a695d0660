//! A kind, as the API server has it, and as the webhooks have it.

use crdkit::{
    CustomResource, KubeSchema,
    convert::{Converter, Hub},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) const GROUP: &str = "webhooks.example.com";

/// The definition, with the field `note` that the type of the webhooks does not have.
pub(crate) fn definition() -> Value {
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "webhooks.example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
    #[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
    struct MachineSpec {
        image: String,
        replicas: Option<i32>,
        zone: Option<String>,
        note: Option<String>,
        disks: Option<Vec<Disk>>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    struct Disk {
        name: String,
        size: Option<i32>,
        note: Option<String>,
    }

    serde_json::to_value(crdkit::render::render::<Machine>().unwrap()).unwrap()
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "webhooks.example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
#[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
pub(crate) struct MachineSpec {
    pub(crate) image: String,
    pub(crate) replicas: Option<i32>,
    pub(crate) zone: Option<String>,
    #[serde(default)]
    pub(crate) disks: Vec<Disk>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Disk {
    pub(crate) name: String,
    pub(crate) size: Option<i32>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub(crate) struct MachineStatus {
    pub(crate) replicas: i32,
    pub(crate) phase: Option<String>,
}

/// Returns the conversion of machines, which have one version.
pub(crate) fn machine_converter() -> Converter {
    Hub::<Machine>::new().converter()
}
