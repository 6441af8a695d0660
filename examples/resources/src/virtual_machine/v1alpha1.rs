//! The first version: one disk, no networks.

use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde::{Deserialize, Serialize};

/// Virtual machines of one kind, as many as asked for.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "infra.example.com",
    version = "v1alpha1",
    kind = "VirtualMachine",
    namespaced,
    shortname = "vm",
    category = "all",
    storage = false,
    deprecated = "infra.example.com/v1alpha1 VirtualMachine has one disk only; use v1",
    label("app.kubernetes.io/part-of", "infra"),
    derive = "PartialEq"
)]
pub struct VirtualMachineSpec {
    /// Processors of each machine; fractions are shares of one.
    pub cpu: Quantity,

    /// Memory of each machine.
    pub memory: Quantity,

    /// The image that the disk is made from.
    #[crd(column)]
    pub image: String,
}
