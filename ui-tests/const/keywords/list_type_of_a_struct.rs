use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(list_type = "atomic")]
pub struct Named {
    pub name: String,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: Named,
}

fn main() {
    let foo = Foo::new("foo", FooSpec { size: Named { name: String::new() } });
    println!("{foo:?} {:?}", Foo::crd());
}
