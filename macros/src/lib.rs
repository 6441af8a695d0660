//! The derives of crdkit. Use them through the crate `crdkit`.
//!
//! Tokens go through three stages: `attrs` parses the attributes, and each value is valid by construction; `model` resolves
//! them and validates them across attributes; `expand` generates the code and cannot fail. Only `attrs` reads attributes, and
//! only `expand` contains `quote!`.
#![allow(clippy::result_large_err)] // errors of rules are rare, and cannot be boxed in const evaluation

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use attrs::selector::Selector;

mod attrs;
mod codec;
mod expand;
#[cfg(test)]
mod mistakes;
mod model;

#[doc = include_str!("docs/custom_resource.md")]
#[doc(alias(
    "printcolumn",
    "printer column",
    "shortname",
    "category",
    "scale",
    "selectable",
    "subresource",
    "served",
    "storage",
    "CustomResourceDefinition",
    "CRD"
))]
#[proc_macro_derive(CustomResource, attributes(kube, crd))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::custom_resource(&input).into()
}

#[doc = include_str!("docs/kube_schema.md")]
#[doc(alias(
    "column",
    "default",
    "embed",
    "enum",
    "format",
    "immutable",
    "int_or_string",
    "list_map_keys",
    "list_type",
    "map_type",
    "max_items",
    "max_length",
    "max_properties",
    "maximum",
    "merge_strategy",
    "min_items",
    "min_length",
    "min_properties",
    "minimum",
    "multiple_of",
    "nullable",
    "one_of",
    "pattern",
    "preserve_unknown_fields",
    "requires",
    "validation"
))]
#[proc_macro_derive(KubeSchema, attributes(crd, x_kube, schemars, serde, validate, garde))]
pub fn kube_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kube_schema(&input).into()
}

/// The derive [`KubeSchema`](macro@KubeSchema) under the name of the derive of schemars.
#[proc_macro_derive(JsonSchema, attributes(crd, x_kube, schemars, serde, validate, garde))]
pub fn json_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kube_schema(&input).into()
}

#[doc = include_str!("docs/apply.md")]
#[proc_macro_derive(Apply, attributes(apply, crd, kube, x_kube, serde))]
pub fn apply(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::apply(&input).into()
}

#[doc = include_str!("docs/convert.md")]
#[doc(alias("conversion", "hub", "spoke", "version", "hub_default"))]
#[proc_macro_derive(Convert, attributes(convert, crd, kube, serde))]
pub fn convert(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::convert(&input).into()
}

/// `Deserialize` of `crdkit::serde`.
#[proc_macro_derive(Deserialize, attributes(crd, kube, serde))]
pub fn deserialize(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    codec::deserialize(input).into()
}

/// `Serialize` of `crdkit::serde`.
#[proc_macro_derive(Serialize, attributes(crd, kube, serde))]
pub fn serialize(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    codec::serialize(input).into()
}

#[doc = include_str!("docs/resource.md")]
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::inherited_resource(&input).into()
}

#[doc = include_str!("docs/group_version.md")]
#[proc_macro_attribute]
pub fn group_version(arguments: TokenStream, module: TokenStream) -> TokenStream {
    expand::group_version(&arguments.into(), module.into()).into()
}

#[doc = include_str!("docs/checked.md")]
#[proc_macro_attribute]
pub fn checked(arguments: TokenStream, function: TokenStream) -> TokenStream {
    expand::checked(&arguments.into(), &function.into()).into()
}

/// A field selector of a kind. See `crdkit::selector!`.
#[proc_macro]
pub fn selector(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as Selector);
    expand::selector(&input).into()
}
