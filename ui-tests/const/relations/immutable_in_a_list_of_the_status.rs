use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = FooStatus)]
pub struct FooSpec {
    pub size: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct FooStatus {
    #[crd(list_type = "atomic")]
    pub ports: Vec<Port>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    pub name: String,
    #[crd(immutable)]
    pub number: u16,
}

fn main() {
    let spec = FooSpec { size: 1 };
    println!("{:?} {:?}", Foo::new("foo", spec), Foo::crd());
}
