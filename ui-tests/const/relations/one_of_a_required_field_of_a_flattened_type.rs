use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", one_of("size", "name"))]
pub struct FooSpec {
    pub size: Option<u8>,
    #[serde(flatten)]
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub name: String,
}

fn main() {
    let spec = FooSpec { size: None, part: Part { name: String::new() } };
    println!("{:?} {:?}", Foo::new("foo", spec), Foo::crd());
}
