use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[allow(non_camel_case_types)]
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1")]
pub struct Virtual_MachineSpec {
    pub size: i32,
}

fn main() {}
