use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = Disk)]
pub struct Disk {
    #[convert(dropped, to = "size")]
    pub name: String,
}

fn main() {}
