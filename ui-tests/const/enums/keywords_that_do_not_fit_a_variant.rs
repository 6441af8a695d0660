use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Part {
    #[crd(minimum = 1)]
    #[schemars(range(max = 3))]
    Text(String),
    #[crd(minimum = 300)]
    Byte(u8),
    #[crd(max_length = 2)]
    Name(#[crd(min_length = 3)] String),
    #[crd(pattern = "a", list_type = "set", items(min_length = 1))]
    Fields { a: u8 },
    #[crd(list_type = "map", list_map_keys = ["b"], items(max_properties = 1))]
    #[schemars(inner(length(max = 3)))]
    List(Vec<Item>),
    #[schemars(length(max = 3))]
    Pair(u8, u8),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Item {
    a: u8,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { part: Part::Byte(1) }));
    println!("{:?}", Foo::crd());
}
