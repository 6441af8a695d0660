use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
pub enum Phase {
    Starting,
    Running,
}

fn main() {}
