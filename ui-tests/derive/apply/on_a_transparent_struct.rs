use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
#[serde(transparent)]
pub struct Size {
    pub bytes: u64,
}

fn main() {}
