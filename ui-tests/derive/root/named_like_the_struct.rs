use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct Foo {
    pub size: i32,
}

fn main() {
    let foo = Foo { size: 1 };
    println!("{foo:?}");
}
