use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: String,
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    pub open: Part,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub size: Option<u8>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { size: String::new(), open: Part { size: None } }));
    println!("{:?}", Foo::crd());
}
