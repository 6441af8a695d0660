use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(items(default = "a", pattern = "^b$"))]
    pub names: Vec<String>,
    #[crd(items(default = 1, default = 2))]
    pub twice: Vec<u8>,
    #[crd(items(default))]
    pub empty: Vec<u8>,
}

fn main() {
    println!("{:?}", Foo::crd());
}
