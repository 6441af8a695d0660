use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[schemars(regex(pattern = "^a"))]
    pub size: Vec<String>,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Vec::new() });
    println!("{foo:?} {:?}", Foo::crd());
}
