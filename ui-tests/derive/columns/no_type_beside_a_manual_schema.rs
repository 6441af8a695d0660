use crdkit::CustomResource;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", schema = "disabled")]
#[crd(printcolumn(name = "Size", json_path = ".spec.size"))]
pub struct FooSpec {
    pub size: i32,
}

fn main() {
    println!("{:?}", Foo::new("foo", FooSpec { size: 1 }));
}
