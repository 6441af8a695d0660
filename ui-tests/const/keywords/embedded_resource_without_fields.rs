use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(embedded_resource)]
    pub size: Pod,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Pod {}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Pod {} });
    println!("{foo:?} {:?}", Foo::crd());
}
