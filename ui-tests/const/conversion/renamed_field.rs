use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub cpu: String,
        pub resources: Resources,
        pub disks: Vec<Disk>,
        pub mode: Mode,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    pub struct Resources {
        pub memory: Option<String>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Disk {
        pub name: String,
        pub size: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
    pub enum Mode {
        #[default]
        Running,
        Stopped,
    }
}

#[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced)]
#[convert(hub = v1::Machine, hub_default(mode = v1::Mode::Running))]
pub struct MachineSpec {
    pub cpus: String,
}

fn main() {}
