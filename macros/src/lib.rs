//! The derives of crdkit. Use them through the crate `crdkit`.
//!
//! Tokens go through three stages: `attrs` reads what the user wrote, each value valid by construction; `model` says
//! what it means; `expand` prints it and cannot fail. Only `attrs` reads attributes, only `expand` contains `quote!`.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod attrs;
mod expand;
mod model;

/// Makes a struct the spec of a custom resource.
///
/// See the crate documentation of `crdkit` for every attribute.
#[proc_macro_derive(CustomResource, attributes(kube, crd))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::custom_resource(&input).into()
}

/// Gives a type a schema that is known while compiling.
///
/// See the crate documentation of `crdkit` for every attribute.
#[proc_macro_derive(KubeSchema, attributes(crd, x_kube, schemars, serde, validate, garde))]
pub fn kube_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kube_schema(&input).into()
}

/// [`KubeSchema`](macro@KubeSchema) under the name that schemars gives its own derive.
#[proc_macro_derive(JsonSchema, attributes(crd, x_kube, schemars, serde, validate, garde))]
pub fn json_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kube_schema(&input).into()
}

/// Gives a type with a `metadata` field the group, version, kind and scope of another resource.
///
/// `#[resource(inherit = "ConfigMap")]` names that resource.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::inherited_resource(&input).into()
}
