use crdkit::{Client, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {}

async fn stop(client: Client) {
    let machines = client.resources::<Machine>().namespace("prod");
    machines.status().update("web", |status| status.phase = "Stopped".into()).await.unwrap();
}

fn main() {
    let _ = stop;
}
