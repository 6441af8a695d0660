//! Spellings that kube-derive and crdkit accept.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    namespaced,
    served = true,
    storage = "true",
    status = FooStatus,
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size", priority = -1),
    printcolumn(name = "S", type_ = "integer", json_path = ".spec.size", priority = "1"),
    printcolumn = r#"{"name": "T", "type": "integer", "jsonPath": ".spec.size", "priority": 1}"#,
)]
#[crd(printcolumn(condition = "Ready", priority = 1), printcolumn(age), crate = ::crdkit)]
pub struct FooSpec {
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = "crdkit")]
pub struct FooStatus {
    pub conditions: Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>,
}

pub(super) fn main() {
    use_object(&Foo::new("foo", FooSpec { size: 1 }));
    println!("{:?}", Foo::crd());
}
