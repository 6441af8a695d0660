//! Derives of `crdkit::serde` under names that mean something else, in a crate with strict lints.
#![no_implicit_prelude]
#![deny(missing_docs, warnings)]
#![allow(dead_code)]
#![forbid(unsafe_code)]

use ::crdkit::{
    CustomResource, KubeSchema,
    serde::{Deserialize, Serialize},
};
use ::std::{clone::Clone, fmt::Debug, option::Option, string::String, vec::Vec};

/// A foo.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus")]
pub struct FooSpec {
    /// Something.
    pub r#type: Option<String>,
    /// Others.
    #[serde(default, alias = "things")]
    pub more: Vec<Color>,
    /// What only serde reads.
    #[serde(default = "none")]
    pub letter: Option<char>,
}

fn none() -> Option<char> {
    Option::None
}

/// A status.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(transparent)]
pub struct FooStatus {
    /// Its color.
    pub color: Color,
}

/// A color.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub enum Color {
    /// Red.
    Red,
    /// Blue.
    #[serde(alias = "Azure")]
    Blue,
}

/// Something of any type.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct Generic<T> {
    /// It.
    pub value: T,
}

pub(super) fn main() {
    let json = r#"{"metadata":{},"spec":{"type":"t","things":["Azure"]},"status":"Red"}"#;
    let foo: Foo = ::serde_json::from_str(json).unwrap();
    ::std::assert!(::std::matches!(foo.spec.more[..], [Color::Blue]));
}
