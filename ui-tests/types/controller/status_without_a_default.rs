use crdkit::{CustomResource, KubeSchema, controller::Context};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
struct MachineSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct MachineStatus {}

fn reconcile(machine: &Machine, cx: &Context<Machine>) {
    cx.status(machine);
}

fn main() {
    let _ = reconcile;
}
