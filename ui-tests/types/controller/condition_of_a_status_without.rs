use crdkit::{CustomResource, KubeSchema, conditions::NewCondition, controller::Context};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
struct MachineSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct MachineStatus {}

fn reconcile(machine: &Machine, cx: &Context<Machine>) {
    cx.status(machine).set_condition(NewCondition::is_true("Ready", "Runs"));
}

fn main() {
    let _ = reconcile;
}
