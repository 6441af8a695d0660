use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::{CustomResourceExt, use_object};
use k8s_openapi::api::core::v1::LocalObjectReference;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com", version = "v1", kind = "Foo",
    printcolumn(name = "Size", type_ = "string", json_path = ".spec.secret.nme")
)]
pub struct FooSpec {
    pub secret: LocalObjectReference,
}

fn store(object: &Foo) {
    use_object(object);
}

fn main() {
    store(&Foo::new("foo", FooSpec { secret: LocalObjectReference::default() }));
    println!("{:?}", Foo::crd());
}
