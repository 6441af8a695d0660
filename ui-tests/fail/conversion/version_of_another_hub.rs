use crdkit::{CustomResource, KubeSchema, convert::{Convert, Hub}};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

pub mod v2 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v2", kind = "Machine", namespaced)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

pub mod v1alpha1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
    #[convert(hub = super::v1::Machine)]
    pub struct MachineSpec {
        pub cpu: String,
    }
}

fn machines() -> Hub<v2::Machine> {
    Hub::new().spoke::<v1alpha1::Machine>()
}

fn main() {}
