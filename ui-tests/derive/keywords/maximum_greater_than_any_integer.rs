use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(maximum = 18446744073709551615)]
    pub size: u64,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: 1 });
    println!("{foo:?} {:?}", Foo::crd());
}
