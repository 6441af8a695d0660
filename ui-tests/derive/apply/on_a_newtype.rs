use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
pub struct Size(pub u32);

fn main() {}
