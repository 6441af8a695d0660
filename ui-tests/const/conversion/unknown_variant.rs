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

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Mode)]
pub enum Mode {
    Running,
    Stopped,
    Paused,
}

fn main() {}
