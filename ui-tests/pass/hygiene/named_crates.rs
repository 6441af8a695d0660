//! Every crate named by the user, as `crates(...)` of kube-derive allows.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

mod reexports {
    pub use ::{k8s_openapi, kube, schemars, serde, serde_json};
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    status = "FooStatus",
    crates(
        kube = "::kube",
        kube_core = "::kube::core",
        k8s_openapi = "::k8s_openapi",
        schemars = "crate::accepted::hygiene_named_crates::reexports::schemars",
        serde = "reexports::serde",
        serde_json = reexports::serde_json,
        std = "::std"
    )
)]
#[x_kube(crates(kube_core = "kube::core", schemars = "schemars"))]
pub struct FooSpec {
    pub size: i32,
    #[x_kube(merge_strategy = ListMerge::Set, validation = Rule::new(RULE))]
    pub names: Vec<String>,
}

const RULE: &str = "self.size() < 9";

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[schemars(crate = "reexports::schemars")]
pub struct FooStatus {
    pub size: i32,
}

pub(super) fn main() {
    use reexports::{k8s_openapi as _, kube as _};
    let foo = Foo::new("foo", FooSpec { size: 1, names: vec![] });
    crdkit_ui_tests::use_object(&foo);
}
