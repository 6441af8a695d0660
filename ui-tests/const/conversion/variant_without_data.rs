use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(tag = "type")]
    pub enum Network {
        Bridge { name: String },
        Host,
    }
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
#[convert(hub = v1::Network)]
pub enum Network {
    Bridge,
    Host,
}

fn main() {}
