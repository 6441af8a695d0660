use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    no_spec,
)]
pub struct FooSpec {
    #[serde(flatten)]
    pub part: Option<Part>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Metadata { name: String },
    Size(i32),
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec::default()));
    println!("{:?}", Foo::crd());
}
