//! A set of virtual machines, in three versions. `v1` is the hub, to which the others convert.

use std::collections::BTreeMap;

use crdkit::{
    Apply, CustomResource, KubeSchema,
    convert::Hub,
    serde::{Deserialize, Serialize},
};
use k8s_openapi::{
    api::core::v1::LocalObjectReference,
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Condition},
};

pub mod v1alpha1;
pub mod v2alpha1;

/// All versions. Objects are stored as `v1`.
pub fn versions() -> Hub<VirtualMachine> {
    Hub::new().spoke::<v1alpha1::VirtualMachine>().spoke::<v2alpha1::VirtualMachine>().store_as::<VirtualMachine>()
}

/// A number of equal virtual machines.
#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "infra.example.com",
    version = "v1",
    kind = "VirtualMachine",
    namespaced,
    shortname = "vm",
    category = "all",
    status = "VirtualMachineStatus",
    scale,
    derive = "PartialEq",
    label("app.kubernetes.io/part-of", "infra"),
    printcolumn(condition = "Ready"),
    printcolumn(age)
)]
#[x_kube(validation = Rule::new("self.disks.exists(disk, disk.boot)")
    .message("one disk must be bootable")
    .field_path(".disks"))]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineSpec {
    /// Processors of each machine; fractions are shares of one.
    pub cpu: Quantity,

    /// Memory of each machine.
    pub memory: Quantity,

    /// The image that the boot disk is made from.
    #[crd(column, selectable)]
    pub image: String,

    /// Disks of each machine.
    #[schemars(length(min = 1, max = 16))]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<Disk>,

    /// Networks that each machine is part of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub networks: Vec<Network>,

    /// How many machines there shall be.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1000))]
    #[crd(column(name = "Desired"), scale(replicas))]
    pub replicas: i32,

    /// Credentials for the registry of the image.
    pub pull_secret: Option<LocalObjectReference>,

    /// Placed on nodes that have all of these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
}

fn one() -> i32 {
    1
}

/// A disk of a machine.
#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// The name, unique among the disks.
    #[apply(key)]
    #[schemars(length(min = 1, max = 63))]
    pub name: String,

    /// The size.
    pub size: Quantity,

    /// Whether machines start from it.
    #[serde(default)]
    pub boot: bool,

    /// How data is cached.
    #[serde(default)]
    pub cache: CacheMode,
}

/// How data of a disk is cached.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Not at all.
    #[default]
    None,
    /// Reads are.
    WriteThrough,
    /// Reads and writes are.
    WriteBack,
}

/// A network that a machine is part of.
#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// The name of the network.
    #[apply(key)]
    #[schemars(length(min = 1, max = 63))]
    pub name: String,

    /// A fixed address; the network gives one if there is none.
    pub address: Option<std::net::Ipv4Addr>,
}

/// What is known about the machines.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineStatus {
    /// How far the machines are, taken together.
    #[crd(column, selectable)]
    pub phase: Phase,

    /// How many machines there are.
    #[serde(default)]
    #[crd(column(name = "Current"), scale(status_replicas))]
    pub replicas: i32,

    /// Labels of the machines, in text form.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[crd(scale(label_selector))]
    pub selector: String,

    /// What is known, one condition a type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(conditions)]
    pub conditions: Vec<Condition>,

    /// The generation of the spec that this status describes.
    pub observed_generation: Option<i64>,
}

/// How far machines are.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a place.
    #[default]
    Pending,
    /// Starting.
    Starting,
    /// All run.
    Running,
    /// At least one has failed.
    Failed,
}
