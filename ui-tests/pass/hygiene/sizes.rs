//! How much of a schema is written, declared without the prelude, also by a `macro_rules!`. What is opaque needs no schema at all.

#![no_implicit_prelude]

use ::crdkit::{CustomResource, KubeSchema};
use ::k8s_openapi::api::core::v1::{Container, EnvVar, LocalObjectReference, PodTemplateSpec};
use ::serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", descriptions = "none")]
pub struct FooSpec {
    #[crd(embed = "opaque")]
    pub template: PodTemplateSpec,
    #[crd(embed = "opaque", descriptions = "own")]
    pub sidecars: ::std::option::Option<::std::vec::Vec<Container>>,
    #[crd(embed = "opaque")]
    pub by_name: ::std::collections::BTreeMap<::std::string::String, PodTemplateSpec>,
    #[crd(embed = "full", descriptions = "first_sentence")]
    pub env: ::std::vec::Vec<EnvVar>,
    pub reference: Reference,
    pub choice: Choice,
}

macro_rules! reference {
    ($name:ident, $embed:literal, $descriptions:literal) => {
        #[derive(KubeSchema, Serialize, Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
        pub struct $name(#[crd(embed = $embed, descriptions = $descriptions)] pub LocalObjectReference);
    };
}

reference!(Reference, "full", "all");

#[derive(KubeSchema, Serialize, Deserialize, ::std::clone::Clone, ::std::fmt::Debug)]
pub enum Choice {
    Reference(#[crd(embed = "lean")] LocalObjectReference),
    Parts {
        #[crd(embed = "opaque")]
        container: Container,
    },
}

pub(super) fn main() {
    ::std::println!("{:?}", <Foo as ::crdkit::CustomResourceExt>::crd());
}
