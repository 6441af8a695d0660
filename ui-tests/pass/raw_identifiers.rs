//! Keywords as names of fields and types.

#![allow(non_camel_case_types)]

use crdkit::{CustomResource, KubeSchema};
use crdkit_ui_tests::use_object;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    printcolumn(name = "Type", type_ = "string", json_path = ".spec.type"),
    selectable = ".spec.match.in"
)]
pub struct FooSpec {
    pub r#type: String,
    pub r#match: r#struct,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct r#struct {
    #[crd(column)]
    pub r#in: String,
    pub r#as: Mode,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Mode {
    r#true,
    r#false,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar", root = "r#enum")]
pub struct BarSpec {
    pub size: i32,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Baz", root = "r#Qux")]
pub struct BazSpec {
    pub size: i32,
}

pub(super) fn main() {
    let r#match = r#struct { r#in: String::new(), r#as: Mode::r#true };
    use_object(&Foo::new("foo", FooSpec { r#type: String::new(), r#match }));
    use_object(&r#enum::new("bar", BarSpec { size: 1 }));
    use_object(&Qux::new("baz", BazSpec { size: 1 }));
    println!("{:?}", Mode::r#false);
}
