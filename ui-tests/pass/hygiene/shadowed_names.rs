//! Types of the user with the names that generated code might use.

#![allow(dead_code, non_camel_case_types)]

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

mod names {
    pub struct Option;
    pub struct Result;
    pub struct String;
    pub struct Vec;
    pub struct Box;
    pub struct Cow;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Schema;
    pub struct Field;
    pub struct Keyword;
    pub struct Definition;
    pub struct Status;
    pub struct Spec;
    pub struct Probe;
    pub trait Clone {}
    pub trait Debug {}
    pub trait Default {}
    pub trait From {}
    pub trait Into {}
    pub trait ToString {}
    pub trait Sized {}
    pub fn require() {}
    pub mod std {}
    pub mod core {}
    pub mod kube_core {}
    pub mod schemars {}
    pub mod k8s_openapi {}
    pub mod serde_json {}
}

use names::*;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    status = "FooStatus",
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size"),
    validation = "self.spec.size > 0"
)]
pub struct FooSpec {
    #[serde(default)]
    #[crd(selectable)]
    pub size: ::std::primitive::i64,
    #[crd(merge_strategy = ListMerge::Set)]
    pub names: ::std::vec::Vec<::std::string::String>,
}

#[derive(KubeSchema, Serialize, Deserialize, ::std::clone::Clone, ::std::fmt::Debug, ::std::default::Default)]
#[serde(default)]
pub struct FooStatus {
    #[crd(column)]
    pub ready: ::std::primitive::bool,
}

pub(super) fn main() {
    let spec = FooSpec { size: 1, names: ::std::vec![] };
    ::crdkit_ui_tests::use_object(&Foo::new("foo", spec));
    ::std::println!("{:?}", <Foo as ::crdkit_ui_tests::CustomResourceExt>::crd());
}
