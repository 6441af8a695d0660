use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[crdkit::group_version(group = "example.com", version = "v1")]
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1")]
pub struct FooSpec {
    pub size: i32,
}

fn main() {
    println!("{:?}", Foo::new("foo", FooSpec { size: 1 }));
}
