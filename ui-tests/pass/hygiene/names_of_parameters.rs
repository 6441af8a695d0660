//! Types of the user with the names that parameters of generated functions have elsewhere.

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "S")]
pub struct D {
    pub size: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct S {
    pub ready: bool,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar", status = "D")]
pub struct T {
    pub size: i32,
}

pub(super) fn main() {
    use_object(&Foo::new("foo", D { size: 1 }));
    use_object(&Bar::new("bar", T { size: 1 }));
    println!("{:?}", S { ready: true });
}
