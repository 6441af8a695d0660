use crdkit::{Apply, CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
pub struct MachineSpec {
    pub cpu: String,
    pub replicas: u32,
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<Disk>,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
pub struct Disk {
    pub name: String,
}

fn main() {
    let _ = MachineApply::new().disks([DiskApply::new().name("a")]);
}
