use crdkit::CustomResource;
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", one_of("size", "name"))]
pub struct FooSpec {
    pub size: Option<u8>,
    pub name: Option<String>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    let spec = FooSpec { size: Some(1), name: None };
    store(&Foo::new("foo", spec));
    println!("{:?}", Foo::crd());
}
