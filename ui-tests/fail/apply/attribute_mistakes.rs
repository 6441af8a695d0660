use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
#[apply(key)]
pub struct Disk {
    #[apply(kye)]
    pub name: String,
    #[apply(key, key)]
    pub zone: String,
    #[apply(key)]
    #[serde(flatten)]
    pub rest: Rest,
    pub new: bool,
}

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
pub struct Rest {
    pub size: u32,
}

fn main() {
    let _ = RestApply::new().size(1);
}
