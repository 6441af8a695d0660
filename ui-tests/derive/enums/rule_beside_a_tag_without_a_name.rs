use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "the kind")]
pub enum Part {
    Move(Move),
    #[crd(validation = "self.height > 0")]
    Jump { height: i32 },
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Move {
    speed: i32,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
}

fn main() {
    println!("{:?}", Foo::crd());
}
