use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(maximum = 3)]
    pub size: Level,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(min_length = 1)]
pub struct Level(i64);

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Level(1) });
    println!("{foo:?} {:?}", Foo::crd());
}
