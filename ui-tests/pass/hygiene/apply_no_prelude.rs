//! Types of `Apply` without the standard library's prelude, and with names of it taken.

#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

struct Result;
struct Option;
struct String;

#[derive(
    ::crdkit::CustomResource,
    ::crdkit::KubeSchema,
    ::crdkit::Apply,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus")]
pub struct FooSpec {
    pub size: ::std::option::Option<i32>,
    pub r#type: ::std::string::String,
    #[crd(merge_strategy = ListMerge::Map(::std::vec!["name".into()]))]
    pub parts: ::std::vec::Vec<Part>,
    pub nested: ::std::collections::BTreeMap<::std::string::String, ::std::boxed::Box<Part>>,
    #[serde(flatten)]
    pub rest: Rest,
    #[serde(skip)]
    pub cache: u8,
}

#[derive(
    ::crdkit::KubeSchema,
    ::crdkit::Apply,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
)]
pub struct Part {
    #[apply(key)]
    pub name: ::std::string::String,
    pub sizes: ::std::vec::Vec<u32>,
}

#[derive(
    ::crdkit::KubeSchema,
    ::crdkit::Apply,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
)]
pub struct Rest {
    pub status: ::std::option::Option<bool>,
}

#[derive(
    ::crdkit::KubeSchema,
    ::crdkit::Apply,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
)]
pub struct FooStatus {
    pub ready: bool,
}

pub(super) fn main() {
    let foo = FooApply::new()
        .size(1)
        .r#type("a")
        .parts([PartApply::new("a").sizes([1, 2])])
        .nested([("b", PartApply::new("c"))])
        .rest(RestApply::new().status(true))
        .status(FooStatusApply::new().ready(true));
    let _ = ::serde_json::to_value(foo);
    let name = "a";
    let _ = ::crdkit::selector!(Foo, metadata.name == name && metadata.name != "b");
}
