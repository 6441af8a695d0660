use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type", content = "data")]
pub enum Part {
    Move { distance: u8 },
    Turn { right: bool },
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    selectable = ".spec.part.typ",
    selectable = ".spec.part.data.left",
    selectable = ".spec.part.distance"
)]
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
            part: Part::Turn { right: true },
        },
    ));
    println!("{:?}", Foo::crd());
}
