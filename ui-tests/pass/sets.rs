//! Sets of what is not a scalar, and is merged as one.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo")]
pub struct FooSpec {
    #[crd(list_type = "set")]
    pub lists: Vec<Vec<String>>,
    #[crd(list_type = "set", items(list_type = "atomic"))]
    pub atomic_lists: Vec<Vec<String>>,
    #[crd(list_type = "set")]
    pub points: Vec<Point>,
    #[crd(list_type = "set", items(map_type = "atomic"))]
    pub maps: Vec<BTreeMap<String, String>>,
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub ports: Vec<Port>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(struct_type = "atomic")]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Port {
    #[crd(default = "web", nullable = false)]
    pub name: Option<String>,
    pub number: u16,
}

pub(super) fn main() {
    let spec = FooSpec {
        lists: Vec::new(),
        atomic_lists: Vec::new(),
        points: Vec::new(),
        maps: Vec::new(),
        ports: Vec::new(),
    };
    use_object(&Foo::new("foo", spec));
}
