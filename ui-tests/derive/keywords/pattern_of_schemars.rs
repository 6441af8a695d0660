use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[schemars(regex(pattern = r"^(\w+) \1$"))]
    pub words: String,
    #[garde(pattern(r"^[a-z]++$"))]
    pub word: String,
    #[schemars(inner(pattern(r"^\w+\Z")))]
    pub each: Vec<String>,
}

fn main() {
    println!("{:?}", Foo::crd());
}
