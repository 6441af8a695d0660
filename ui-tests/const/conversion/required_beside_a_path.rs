use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Machine {
        pub resources: Resources,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Resources {
        pub cpu: String,
        pub class: Class,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub enum Class {
        Small,
        Large,
    }
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Machine)]
pub struct Machine {
    #[convert(to = "resources.cpu")]
    pub cpu: String,
}

fn main() {}
