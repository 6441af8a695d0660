use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub size: Vec<Port>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    pub name: Option<String>,
    pub zones: Vec<String>,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Vec::new() });
    println!("{foo:?} {:?}", Foo::crd());
}
