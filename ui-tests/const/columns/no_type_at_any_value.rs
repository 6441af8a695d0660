use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
#[crd(printcolumn(name = "Size", json_path = ".spec.size"))]
pub struct FooSpec {
    pub size: serde_json::Value,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { size: 1.into() }));
    println!("{:?}", Foo::crd());
}
