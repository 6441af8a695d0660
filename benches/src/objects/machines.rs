//! The same kind twice: as serde decodes it, and as a derived decoder does.

/// All types of the kind; `decode` asks for a decoder beside serde's.
macro_rules! virtual_machines {
    ($($decode:ident)?) => {
        use std::collections::BTreeMap;

        use crdkit::{CustomResource, KubeSchema};
        use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Condition};
        use serde::{Deserialize, Serialize};

        /// Virtual machines of one kind.
        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(
            group = "vm.test",
            version = "v1",
            kind = "VirtualMachine",
            namespaced,
            status = "VirtualMachineStatus",
            $($decode)?
        )]
        #[serde(rename_all = "camelCase")]
        pub struct VirtualMachineSpec {
            pub cpu: Quantity,
            memory: Quantity,
            image: String,
            replicas: i32,
            zone: String,
            paused: bool,
            run_strategy: RunStrategy,
            args: Vec<String>,
            disks: Vec<Disk>,
            networks: Vec<Network>,
            node_selector: BTreeMap<String, String>,
            probe: Option<Probe>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
        $(#[crd($decode)])?
        enum RunStrategy {
            Always,
            Manual,
            Halted,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        $(#[crd($decode)])?
        #[serde(rename_all = "camelCase")]
        struct Disk {
            name: String,
            size: Quantity,
            storage_class: Option<String>,
            #[serde(default)]
            boot: bool,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        $(#[crd($decode)])?
        struct Network {
            name: String,
            address: Option<String>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        $(#[crd($decode)])?
        #[serde(rename_all = "camelCase")]
        struct Probe {
            port: i32,
            path: String,
            period_seconds: i32,
        }

        /// What runs of a virtual machine.
        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        $(#[crd($decode)])?
        #[serde(rename_all = "camelCase")]
        pub struct VirtualMachineStatus {
            phase: Phase,
            pub replicas: i32,
            observed_generation: Option<i64>,
            #[serde(default)]
            conditions: Vec<Condition>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
        $(#[crd($decode)])?
        enum Phase {
            Pending,
            Running,
        }
    };
}

/// Decoded by serde.
pub(super) mod plain {
    virtual_machines!();
}

/// Decoded by what `#[crd(decode)]` derives.
pub(super) mod fast {
    virtual_machines!(decode);
}
