use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Machine {
        pub mode: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub enum Mode {
        On,
    }
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Machine)]
pub struct Machine {
    pub mode: Mode,
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Mode)]
pub enum Mode {
    On,
}

fn main() {}
