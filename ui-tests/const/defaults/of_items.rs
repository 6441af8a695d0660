use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(items(default = "a"))]
    pub sizes: Vec<u8>,
    #[crd(items(default = 9, maximum = 5))]
    pub small: Vec<u8>,
    #[crd(values(default = "c", enum_values = ["a", "b"]))]
    pub words: BTreeMap<String, String>,
    #[crd(items(items(default = [])))]
    pub rows: Vec<Vec<u8>>,
}

fn main() {
    println!("{:?}", Foo::crd());
}
