use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(default = {})]
    pub size: Limits,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Limits {
    pub memory: i64,
    #[crd(default = 1)]
    pub cpus: i64,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Limits { memory: 1, cpus: 1 } });
    println!("{foo:?} {:?}", Foo::crd());
}
