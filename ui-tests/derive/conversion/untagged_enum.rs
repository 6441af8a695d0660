use crdkit::{CustomResource, KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[serde(untagged)]
#[convert(hub = String)]
pub enum Port {
    Name(String),
    Number(u16),
}

fn main() {}
