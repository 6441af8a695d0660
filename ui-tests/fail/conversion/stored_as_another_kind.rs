use crdkit::{CustomResource, KubeSchema, convert::Hub};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Disk", namespaced)]
pub struct DiskSpec {
    pub size: String,
}

fn machines() -> Hub<v1::Machine> {
    Hub::<v1::Machine>::new().store_as::<Disk>()
}

fn main() {}
