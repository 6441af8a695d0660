use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
pub struct Disk {
    pub name: String,
}

fn main() {}
