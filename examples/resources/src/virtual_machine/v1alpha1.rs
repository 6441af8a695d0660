//! The first version: the same fields, fewer promises.

use std::collections::BTreeMap;

use crdkit::{
    CustomResource, KubeSchema,
    convert::Convert,
    serde::{Deserialize, Serialize},
};
use k8s_openapi::{api::core::v1::LocalObjectReference, apimachinery::pkg::api::resource::Quantity};

use super::{Disk, Network, VirtualMachineStatus};

/// A number of equal virtual machines.
#[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "infra.example.com",
    version = "v1alpha1",
    kind = "VirtualMachine",
    namespaced,
    shortname = "vm",
    category = "all",
    storage = false,
    deprecated = "infra.example.com/v1alpha1 VirtualMachine does not ask for a bootable disk; use v1",
    label("app.kubernetes.io/part-of", "infra"),
    status = "VirtualMachineStatus",
    scale,
    derive = "PartialEq"
)]
#[convert(hub = super::VirtualMachine)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineSpec {
    /// Processors of each machine; fractions are shares of one.
    pub cpu: Quantity,

    /// Memory of each machine.
    pub memory: Quantity,

    /// The image that the boot disk is made from.
    #[crd(column)]
    pub image: String,

    /// Disks of each machine.
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<Disk>,

    /// Networks that each machine is part of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub networks: Vec<Network>,

    /// How many machines there shall be.
    #[serde(default)]
    #[crd(scale(replicas))]
    pub replicas: i32,

    /// Credentials for the registry of the image.
    pub pull_secret: Option<LocalObjectReference>,

    /// Placed on nodes that have all of these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
}
