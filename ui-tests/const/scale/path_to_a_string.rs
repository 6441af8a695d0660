use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooStatus {
    pub size: i32,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    status = "FooStatus",
    scale(spec_replicas_path = ".spec.name", status_replicas_path = ".status.size")
)]
pub struct FooSpec {
    pub name: String,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { name: String::new() }));
    println!("{:?}", Foo::crd());
}
