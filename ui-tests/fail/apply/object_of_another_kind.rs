use crdkit::{Apply, CustomResource, KubeSchema};
use k8s_openapi::api::core::v1::Pod;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {
    pub cpu: String,
}

fn main() {
    let _ = MachineApply::extract(&Pod::default(), "me");
}
