//! Types of the user with the names of primitive types, which serde's own derives do not survive.

#![allow(dead_code, non_camel_case_types)]

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

struct str;
struct bool;
struct i64;
struct usize;

#[derive(CustomResource, KubeSchema, Clone, Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    status = "::std::string::String",
    printcolumn(name = "Name", type_ = "string", json_path = ".spec.name", priority = 1)
)]
pub struct FooSpec {
    #[schemars(length(max = most()), title = "Name")]
    pub name: String,
}

fn most() -> u8 {
    9
}

impl Serialize for FooSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("name", &self.name)])
    }
}

impl<'de> Deserialize<'de> for FooSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self { name })
    }
}

pub(super) fn main() {
    crdkit_ui_tests::use_object(&Foo::new("foo", FooSpec { name: String::new() }));
}
