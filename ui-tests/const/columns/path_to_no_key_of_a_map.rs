use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase")]
pub enum Resource {
    Cpu,
    MainMemory,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    printcolumn(name = "Cpu", type_ = "integer", json_path = ".spec.limits.cpu"),
    printcolumn(name = "Memory", type_ = "integer", json_path = ".spec.limits.memory")
)]
pub struct FooSpec {
    pub limits: BTreeMap<Resource, u8>,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { limits: BTreeMap::new() }));
    println!("{:?}", Foo::crd());
}
