use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[crdkit::group_version]
pub mod api {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1")]
    pub struct FooSpec {
        pub size: i32,
    }
}

fn main() {
    println!("{:?}", api::Foo::new("foo", api::FooSpec { size: 1 }));
}
