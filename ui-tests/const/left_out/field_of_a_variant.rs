use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub choice: Choice,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Choice {
    One {
        #[serde(skip_serializing_if = "String::is_empty")]
        name: String,
    },
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { choice: Choice::One { name: String::new() } }));
    println!("{:?}", Foo::crd());
}
