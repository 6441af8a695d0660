use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[crdkit::group_version(group = "example.com", version = "v1", version = "v2")]
pub mod api {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct FooSpec {
        pub size: i32,
    }

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct BarSpec {
        pub size: i32,
    }
}

fn main() {
    println!("{:?}", api::Foo::new("foo", api::FooSpec { size: 1 }));
    println!("{:?}", api::Bar::new("bar", api::BarSpec { size: 1 }));
}
