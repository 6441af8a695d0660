//! The next version, to be tried out: related fields are in objects of their own.

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
    version = "v2alpha1",
    kind = "VirtualMachine",
    namespaced,
    shortname = "vm",
    category = "all",
    storage = false,
    label("app.kubernetes.io/part-of", "infra"),
    status = "VirtualMachineStatus",
    scale,
    derive = "PartialEq"
)]
#[convert(hub = super::VirtualMachine, spokes(super::v1alpha1::VirtualMachine))]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineSpec {
    /// What each machine may use.
    #[convert(flatten)]
    pub resources: Resources,

    /// The image that the boot disk is made from.
    #[convert(with = image)]
    pub image: Image,

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

    /// What happens to a machine that stops. `v1` does not have this field.
    #[serde(default)]
    #[convert(dropped)]
    pub restart: Restart,

    /// Credentials for the registry of the image.
    pub pull_secret: Option<LocalObjectReference>,

    /// Placed on nodes that have all of these labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[convert(to = "nodeSelector")]
    pub node_labels: BTreeMap<String, String>,
}

/// What a machine may use.
#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[convert(hub = super::VirtualMachineSpec, partial)]
pub struct Resources {
    /// Processors; fractions are shares of one.
    pub cpu: Quantity,

    /// Memory.
    pub memory: Quantity,
}

/// An image of a registry.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The repository, such as `registry.example.com/debian`.
    #[schemars(regex(pattern = r"^([a-z0-9.-]+(:[0-9]+)?/)?[a-z0-9._/-]+$"))]
    pub repository: String,

    /// The tag.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// What happens to a machine that stops.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// It starts again.
    #[default]
    Always,
    /// It stays.
    Never,
}

/// `v1` has an image as one text.
mod image {
    use super::Image;

    pub(super) fn to_hub(image: Image) -> String {
        match image.tag {
            Some(tag) => format!("{}:{tag}", image.repository),
            None => image.repository,
        }
    }

    pub(super) fn from_hub(image: String) -> Image {
        // A port of the registry is before a slash.
        match image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
            Some((repository, tag)) => Image { repository: repository.to_owned(), tag: Some(tag.to_owned()) },
            None => Image { repository: image, tag: None },
        }
    }
}
