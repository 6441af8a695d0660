use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub disk_size: u8,
    #[serde(alias = "volume", alias = "diskSize")]
    pub size: u8,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { disk_size: 1, size: 1 }));
    println!("{:?}", Foo::crd());
}
