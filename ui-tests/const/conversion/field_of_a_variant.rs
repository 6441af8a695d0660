use crdkit::{KubeSchema, convert::Convert};
use serde::{Deserialize, Serialize};

pub mod v1 {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub enum Disk {
        Local { path: String },
    }
}

#[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug)]
#[convert(hub = v1::Disk)]
pub enum Disk {
    Local { file: Option<String>, path: String },
}

fn main() {}
