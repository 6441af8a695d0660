use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    no_spec,
    status = "FooStatus",
)]
pub struct FooSpec {
    #[serde(skip)]
    pub skipped: i32,
    #[serde(flatten)]
    pub part: Option<Part>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Name(String),
    Size(i32),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
pub struct FooStatus {}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec::default()));
    println!("{:?}", Foo::crd());
}
