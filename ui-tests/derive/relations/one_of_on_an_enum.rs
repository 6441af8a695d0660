use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: Size,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(one_of("Small", "Large"))]
pub enum Size {
    Small,
    Large,
}

fn main() {
    let spec = FooSpec { size: Size::Small };
    println!("{:?} {:?}", Foo::new("foo", spec), Foo::crd());
}
