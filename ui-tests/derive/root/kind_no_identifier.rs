use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "My-Foo")]
pub struct FooSpec {
    pub size: i32,
}

fn main() {
    println!("{:?}", FooSpec { size: 1 });
}
