use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(alias = "size")]
    pub volume: u8,
    #[serde(flatten)]
    pub part: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub size: u8,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { volume: 1, part: Part { size: 1 } }));
    println!("{:?}", Foo::crd());
}
