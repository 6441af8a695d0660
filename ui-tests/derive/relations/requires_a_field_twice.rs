use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(requires("name", "name"))]
    pub size: Option<u8>,
    pub name: Option<String>,
}

fn main() {
    let spec = FooSpec { size: None, name: None };
    println!("{:?} {:?}", Foo::new("foo", spec), Foo::crd());
}
