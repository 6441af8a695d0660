use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Named {
    pub name: String,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(values(list_type = "map", list_map_keys = ["nmae"]))]
    pub size: std::collections::BTreeMap<String, Vec<Named>>,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Default::default() });
    println!("{foo:?} {:?}", Foo::crd());
}
