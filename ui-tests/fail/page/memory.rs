use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {
    #[crd(default = 0, minimum = 128)]
    pub memory: u32,
}

fn main() {}
