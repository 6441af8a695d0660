use crdkit::{Client, CustomResource, KubeSchema, conditions::NewCondition};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
pub struct MachineSpec {
    pub image: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct MachineStatus {
    pub phase: String,
}

async fn ready(client: Client) {
    let machines = client.resources::<Machine>().namespace("default");
    machines
        .status()
        .set_condition("web", NewCondition::is_true("Ready", "Booted"))
        .await
        .unwrap();
}

fn main() {
    let _ = ready;
}
