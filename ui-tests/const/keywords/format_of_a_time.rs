use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(format = "date")]
    pub day: Day,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Day(#[crd(format = "date-time")] String);

fn main() {
    let day = Day(String::new());
    let foo = Foo::new("foo", FooSpec { day });
    println!("{foo:?} {:?}", Foo::crd());
}
