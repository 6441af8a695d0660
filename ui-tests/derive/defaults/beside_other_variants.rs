use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: Shape,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind")]
pub enum Shape {
    Circle {
        #[crd(default = 1)]
        radius: u8,
    },
    Point,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Shape::Point });
    println!("{foo:?} {:?}", Foo::crd());
}
