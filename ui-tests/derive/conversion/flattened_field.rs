use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = Disk)]
pub struct Disk {
    #[serde(flatten)]
    #[convert(to = "size")]
    pub size: Size,
}

fn main() {}
