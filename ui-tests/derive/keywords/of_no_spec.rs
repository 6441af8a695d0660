use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", no_spec, max_properties = 1)]
pub struct FooSpec {
    pub size: i64,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Default::default() });
    println!("{foo:?} {:?}", Foo::crd());
}
