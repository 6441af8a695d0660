use crdkit::{Client, CustomResource, KubeSchema, conditions::NewCondition};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
pub struct MachineSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct MachineStatus {
    conditions: Vec<Condition>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct Condition {
    status: bool,
}

async fn ready(client: Client) {
    let machines = client.resources::<Machine>().namespace("default");
    let ready = NewCondition::is_true("Ready", "Booted");
    machines.status().set_condition("web", ready).await.unwrap();
}

fn main() {
    let _ = ready;
}
