use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(nullable, enum_values = ["a"])]
    pub size: String,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: "a".to_owned() });
    println!("{foo:?} {:?}", Foo::crd());
}
