use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = super::v1::Disk, spokes(super::v1beta1::Disk))]
pub struct Disk {
    pub name: String,
}

fn main() {}
