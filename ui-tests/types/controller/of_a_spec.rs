use crdkit::{CustomResource, KubeSchema, controller::Controller};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
struct MachineSpec {}

fn main() {
    let _ = Controller::of::<MachineSpec>();
}
