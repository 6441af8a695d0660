use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced)]
#[convert(hub = v1::Machine, spokes = v1beta1::Machine)]
pub struct MachineSpec {
    pub cpu: String,
}

fn main() {}
