//! Spellings that kube-derive and crdkit accept.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
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
#[crd(printcolumn(name = "Port", type_ = "integer", json_path = ".spec.port"))]
#[crd(printcolumn(name = "P", type_ = "number", json_path = ".spec.port"))]
pub struct FooSpec {
    pub size: i32,
    pub port: IntOrString,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(crate = "crdkit")]
pub struct FooStatus {
    pub conditions: Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>,
}

pub(super) fn main() {
    use_object(&Foo::new("foo", FooSpec { size: 1, port: IntOrString::Int(80) }));
    println!("{:?}", Foo::crd());
}
