use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = Disk)]
pub struct Disk {
    #[convert(with = plain, try_with = fallible)]
    pub name: String,
}

fn main() {}
