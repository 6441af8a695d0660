use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "type")]
pub enum Part {
    Plain { size: Size },
    Other(Other),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Size {
    value: u8,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Other {
    size: OtherSize,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct OtherSize {
    value: bool,
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
            part: Part::Plain {
                size: Size { value: 1 },
            },
        },
    ));
    println!("{:?}", Foo::crd());
}
