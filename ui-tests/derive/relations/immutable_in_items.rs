use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(items(immutable))]
    pub size: Vec<u8>,
}

fn main() {
    let spec = FooSpec { size: Vec::new() };
    println!("{:?} {:?}", Foo::new("foo", spec), Foo::crd());
}
