use crdkit::{Apply, Client, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {}

async fn apply(client: Client) {
    let machines = client.resources::<Machine>().namespace("prod");
    let machine = Machine::new("web", MachineSpec {});
    let _ = machines.apply("web", &machine).await;
}

fn main() {}
