//! crdkit under another name: the one that generated code names by itself is another crate here.

extern crate std as crdkit;

use renamed::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    crate = "::renamed",
    group = "example.com",
    version = "v1",
    kind = "Foo",
    status = "FooStatus",
    scale,
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size")
)]
pub struct FooSpec {
    #[serde(default)]
    #[crd(scale(replicas))]
    pub size: i32,
    #[crd(merge_strategy = ListMerge::Set, validation = Rule::new("true"))]
    pub names: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = renamed)]
pub struct FooStatus {
    #[crd(column, scale(status_replicas))]
    pub size: i32,
}

pub(super) fn main() {
    let foo = Foo::new("foo", FooSpec { size: 1, names: vec![] });
    crdkit_ui_tests::use_object(&foo);
}
