use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
#[crd(printcolumn(name = "Size", json_path = ".spec.disks[?(@.size > 1)].name"))]
pub struct FooSpec {
    pub disks: Vec<Disk>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Disk {
    pub size: i32,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { disks: vec![Disk { size: 1 }] }));
    println!("{:?}", Foo::crd());
}
