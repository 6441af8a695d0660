use crdkit::Apply;
use serde::{Deserialize, Serialize};

#[derive(Apply, Serialize, Deserialize, Clone, Debug)]
pub struct Disk {
    #[apply(key)]
    pub name: String,
    pub size: u32,
}

fn main() {
    let _ = DiskApply::new().size(1);
}
