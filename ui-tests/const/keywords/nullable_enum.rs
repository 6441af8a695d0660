use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(nullable)]
    pub size: Phase,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Phase {
    Ready,
    Failed,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Phase::Ready });
    println!("{foo:?} {:?}", Foo::crd());
}
