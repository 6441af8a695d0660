use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", namespaced)]
pub struct SettingsSpec {
    pub size: i32,
}

fn main() {
    println!("{:?}", Settings::new("a", SettingsSpec { size: 1 }));
}
