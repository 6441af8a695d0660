use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[serde(flatten)]
    pub part: Part,
    pub timeout: Option<u32>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Part {
    pub timeout: Option<i64>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new(
        "foo",
        FooSpec {
            part: Part { timeout: None },
            timeout: None,
        },
    ));
    println!("{:?}", Foo::crd());
}
