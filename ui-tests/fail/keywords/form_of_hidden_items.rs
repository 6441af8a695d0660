use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

pub type Ports = Vec<u16>;

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Part {
    #[crd(items(int_or_string))]
    Ports(Ports),
    #[crd(items(preserve_unknown_fields))]
    Pair(u8, u8),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(items(int_or_string))]
pub struct Numbers(Ports);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
    pub numbers: Numbers,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    let (part, numbers) = (Part::Pair(1, 2), Numbers(Vec::new()));
    store(&Foo::new("foo", FooSpec { part, numbers }));
    println!("{:?}", Foo::crd());
}
