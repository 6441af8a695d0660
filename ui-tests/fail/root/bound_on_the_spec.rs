use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    pub size: i32,
}

fn plural<K: crdkit::CustomResource>() -> &'static str {
    K::DEFINITION.plural
}

fn main() {
    println!("{}", plural::<FooSpec>());
}
