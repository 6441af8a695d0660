use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub enum Source {
        Git(String),
        Empty {},
    }
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Source)]
pub enum Source {
    #[convert(from = "Empty")]
    Git(String),
}

fn main() {}
