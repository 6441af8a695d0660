use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

pub mod v1beta1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1beta1", kind = "Machine", namespaced)]
    #[convert(hub = super::v1::Machine)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

#[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced)]
#[convert(hub = v1beta1::Machine)]
pub struct MachineSpec {
    pub cpu: String,
}

fn main() {}
