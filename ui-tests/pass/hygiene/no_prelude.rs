//! Without the standard library's prelude.

#![no_implicit_prelude]

#[derive(
    ::crdkit::CustomResource,
    ::crdkit::KubeSchema,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
    ::std::cmp::PartialEq,
)]
#[crd(
    group = "example.com",
    version = "v1",
    kind = "Foo",
    namespaced,
    shortname = "fo",
    category = "all",
    status = "FooStatus",
    scale,
    derive = "::std::cmp::PartialEq",
    label("app", "foo"),
    deprecated = "use v2",
    selectable = ".spec.mode",
    printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size", priority = 1),
    printcolumn(condition = "Ready"),
    printcolumn(age),
    validation = "self.spec.size > 0"
)]
pub struct FooSpec {
    /// The size.
    #[schemars(range(min = 0), title = "Size")]
    #[crd(column, scale(replicas))]
    #[serde(default)]
    pub size: i32,
    #[schemars(length(max = 3), inner(length(min = 1)))]
    #[x_kube(merge_strategy = ListMerge::Set, validation = Rule::new("true").message("no"))]
    pub names: ::std::vec::Vec<::std::string::String>,
    pub mode: Mode,
    pub part: ::std::option::Option<Part>,
}

#[derive(
    ::crdkit::KubeSchema,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
    ::std::cmp::PartialEq,
)]
pub enum Mode {
    /// On.
    On,
    Off,
}

#[derive(
    ::crdkit::KubeSchema,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
    ::std::cmp::PartialEq,
)]
pub struct Part(#[schemars(length(min = 1))] ::std::string::String);

#[derive(
    ::crdkit::KubeSchema,
    ::serde::Serialize,
    ::serde::Deserialize,
    ::std::clone::Clone,
    ::std::fmt::Debug,
    ::std::cmp::PartialEq,
    ::std::default::Default,
)]
#[serde(default)]
pub struct FooStatus {
    #[crd(scale(status_replicas))]
    pub size: i32,
    #[crd(scale(label_selector), selectable)]
    pub selector: ::std::string::String,
    pub conditions: ::std::vec::Vec<::k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition>,
}

pub(super) fn main() {
    let spec = FooSpec { size: 1, names: ::std::vec::Vec::new(), mode: Mode::On, part: ::std::option::Option::None };
    let foo = Foo::new("foo", spec);
    ::crdkit_ui_tests::use_object(&foo);
    ::std::println!("{:?}", <Foo as ::crdkit_ui_tests::CustomResourceExt>::crd());
    ::std::println!("{:?}", [Mode::Off]);
}
