use crdkit::{Client, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {}

fn scale(client: &Client) {
    let machines = client.resources::<Machine>().namespace("prod");
    let _ = machines.scale();
}

fn main() {}
