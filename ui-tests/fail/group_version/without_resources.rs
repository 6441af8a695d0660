use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

#[crdkit::group_version(group = "example.com", version = "v1")]
pub mod api {
    use super::*;

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Size {
        pub size: i32,
    }
}

fn main() {
    println!("{:?}", api::Size { size: 1 });
}
