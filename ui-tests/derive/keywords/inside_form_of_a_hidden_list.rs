use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Words(pub Vec<String>);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(items(preserve_unknown_fields))]
    pub size: Words,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Words(Vec::new()) });
    println!("{foo:?} {:?}", Foo::crd());
}
