use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", deny_unknown_fields)]
pub struct Disk {
    pub size: u32,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub disk: Disk,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { disk: Disk { size: 1 } }));
    println!("{:?}", Foo::crd());
}
