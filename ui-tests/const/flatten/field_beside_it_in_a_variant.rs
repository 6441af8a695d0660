use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Choice {
    One {
        size: u8,
        #[serde(flatten)]
        part: Part,
    },
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub size: bool,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub choice: Choice,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new(
        "foo",
        FooSpec {
            choice: Choice::One {
                size: 1,
                part: Part { size: true },
            },
        },
    ));
    println!("{:?}", Foo::crd());
}
