use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus", scale)]
pub struct FooSpec {
    pub parts: Vec<Part>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    #[crd(scale(replicas))]
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct FooStatus {
    #[crd(scale(status_replicas))]
    pub size: i32,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { parts: Vec::new() }));
    println!("{:?}", Foo::crd());
}
