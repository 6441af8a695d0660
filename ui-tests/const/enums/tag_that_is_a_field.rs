use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind")]
pub enum Part {
    Move(Move),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Move {
    kind: String,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub part: Part,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new(
        "foo",
        FooSpec {
            part: Part::Move(Move {
                kind: String::new(),
            }),
        },
    ));
    println!("{:?}", Foo::crd());
}
