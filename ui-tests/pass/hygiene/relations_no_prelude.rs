//! Defaults, fields that are set together, and values that cannot change, without any name in scope.

#![no_implicit_prelude]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

/// The spec.
#[derive(
    ::crdkit::CustomResource,
    ::crdkit::KubeSchema,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
)]
#[crd(group = "example.com", version = "v1", kind = "Foo", one_of("in", "size"))]
pub struct FooSpec {
    /// In.
    #[crd(immutable, requires = "size")]
    pub r#in: ::std::option::Option<::std::string::String>,
    /// Size.
    pub size: ::std::option::Option<u8>,
    /// A literal.
    #[crd(default = ["a"])]
    pub list: ::std::vec::Vec<::std::string::String>,
    /// An expression.
    #[crd(default = Mode::On)]
    pub mode: Mode,
    /// A member.
    #[crd(default = {})]
    pub part: Part,
}

/// On or off.
#[derive(::crdkit::KubeSchema, ::serde::Serialize, ::serde::Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
pub enum Mode {
    /// On.
    On,
    /// Off.
    Off,
}

/// A part.
#[derive(::crdkit::KubeSchema, ::serde::Serialize, ::serde::Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
#[crd(immutable)]
pub struct Part {
    /// Size.
    #[crd(default = 1 + 1)]
    pub size: u8,
}

pub(super) fn main() {
    let crd = <Foo as ::crdkit::CustomResourceExt>::crd();
    ::std::assert!(!crd.spec.versions.is_empty());
}
