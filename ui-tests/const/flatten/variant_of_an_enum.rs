use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub disk: u8,
    #[serde(flatten)]
    pub source: Source,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    Disk(u8),
    Web(String),
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { disk: 1, source: Source::Disk(1) }));
    println!("{:?}", Foo::crd());
}
