use crdkit::{CustomResource, KubeSchema, selector};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "VirtualMachine", namespaced, status = "Status")]
#[crd(selectable = ".spec.zone")]
pub struct VirtualMachineSpec {
    #[crd(selectable)]
    pub image: String,
    pub cpu: i32,
    pub zone: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Status {
    #[crd(selectable)]
    pub phase: Phase,
    #[crd(selectable)]
    pub replicas: i32,
    #[crd(selectable)]
    pub ready: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Phase {
    Starting,
    Running,
}

fn main() {
    selector!(VirtualMachineSpec, spec.image == "a");
}
