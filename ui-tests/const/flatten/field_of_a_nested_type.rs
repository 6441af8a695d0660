use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(flatten)]
    pub outer: Option<Outer>,
    pub size: Option<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Outer {
    #[serde(flatten)]
    pub inner: Inner,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Inner {
    pub size: Option<u8>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { outer: None, size: None }));
    println!("{:?}", Foo::crd());
}
