use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: Level,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Level(#[crd(default = 1)] u8);

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Level(1) });
    println!("{foo:?} {:?}", Foo::crd());
}
