use crdkit::{Client, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
pub struct MachineSpec {
    pub image: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct MachineStatus {
    pub phase: String,
}

async fn start(client: Client) {
    let machines = client.resources::<Machine>().namespace("default");
    machines
        .status()
        .update("web", |status| status.phase = "Running".into())
        .await
        .unwrap();
}

fn main() {
    let _ = start;
}
