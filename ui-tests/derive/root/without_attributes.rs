use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooSpec {
    pub size: i32,
}

fn main() {
    println!("{:?}", Foo::new("foo", FooSpec { size: 1 }));
}
