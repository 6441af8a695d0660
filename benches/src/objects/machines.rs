//! The same kind twice: with serde's derives, and with crdkit's own.

/// All types of the kind, with the derives of a module.
macro_rules! virtual_machines {
    ($($serde:tt)*) => {
        use std::collections::BTreeMap;

        use crdkit::{CustomResource, KubeSchema};
        use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Condition};
        use $($serde)*::{Deserialize, Serialize};

        /// Virtual machines of one kind.
        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(
            group = "vm.test",
            version = "v1",
            kind = "VirtualMachine",
            namespaced,
            status = "VirtualMachineStatus",
        )]
        #[serde(rename_all = "camelCase")]
        pub struct VirtualMachineSpec {
            pub cpu: Quantity,
            pub(crate) memory: Quantity,
            pub(crate) image: String,
            pub(crate) replicas: i32,
            pub(crate) zone: String,
            pub(crate) paused: bool,
            pub(crate) run_strategy: RunStrategy,
            pub(crate) args: Vec<String>,
            pub(crate) disks: Vec<Disk>,
            pub(crate) networks: Vec<Network>,
            pub(crate) node_selector: BTreeMap<String, String>,
            pub(crate) probe: Option<Probe>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
        pub(crate) enum RunStrategy {
            Always,
            Manual,
            Halted,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct Disk {
            pub(crate) name: String,
            pub(crate) size: Quantity,
            pub(crate) storage_class: Option<String>,
            #[serde(default)]
            pub(crate) boot: bool,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        pub(crate) struct Network {
            pub(crate) name: String,
            pub(crate) address: Option<String>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct Probe {
            pub(crate) port: i32,
            pub(crate) path: String,
            pub(crate) period_seconds: i32,
        }

        /// What runs of a virtual machine.
        #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[serde(rename_all = "camelCase")]
        pub struct VirtualMachineStatus {
            pub(crate) phase: Phase,
            pub replicas: i32,
            pub(crate) observed_generation: Option<i64>,
            #[serde(default)]
            pub(crate) conditions: Vec<Condition>,
        }

        #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
        pub(crate) enum Phase {
            Pending,
            Running,
        }
    };
}

pub(super) mod plain {
    virtual_machines!(serde);
}

pub(super) mod fast {
    virtual_machines!(crdkit::serde);
}
