use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(schema_patch({ "items": { "minimun": LEAST, "maximum": 9 } }))]
    pub sizes: Vec<i32>,
}

const LEAST: i32 = 1;

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec::default()));
    println!("{:?}", Foo::crd());
}
