//! The derives of crdkit. Use them through the crate `crdkit`.
//!
//! Tokens go through three stages: `attrs` reads what the user wrote, each value valid by construction; `model` says
//! what it means; `expand` prints it and cannot fail. Only `attrs` reads attributes, only `expand` contains `quote!`.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use attrs::selector::Selector;

mod attrs;
mod expand;
mod model;

/// Makes a struct the spec of a custom resource.
///
/// The root is a new type, named after the `kind`, with `metadata`, `spec` and, if there is one, `status`. It is a
/// `kube::Resource`, has serde's traits, and knows its CustomResourceDefinition.
///
/// ```ignore
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo", namespaced)]
/// struct FooSpec {
///     size: u8,
/// }
///
/// let foo = Foo::new("one", FooSpec { size: 1 });
/// ```
///
/// `#[kube(...)]` takes the keys of kube-derive, `#[crd(...)]` these and more. The page `attributes` in the
/// documentation of `crdkit` describes each of them.
#[proc_macro_derive(CustomResource, attributes(kube, crd))]
pub fn custom_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::custom_resource(&input).into()
}

/// Gives a type a schema that is known while compiling, and schemars' trait.
///
/// It stands on specs, statuses and all types in them: structs with named fields, newtypes, generic types, and enums
/// whose variants carry no data. It reads serde's and schemars' attributes, `#[x_kube(...)]` with the keys of
/// kube-derive, and `#[crd(...)]` with these and more. The page `attributes` in the documentation of `crdkit` describes
/// each of them.
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
/// `#[resource(inherit = "ConfigMap")]` names that resource. The page `attributes` in the documentation of `crdkit` has
/// an example.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::inherited_resource(&input).into()
}

/// A field selector of a kind. The macro of this name in `crdkit` describes it.
#[proc_macro]
pub fn selector(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as Selector);
    expand::selector(&input).into()
}
