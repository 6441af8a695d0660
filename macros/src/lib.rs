//! The derives of crdkit. Use them through the crate `crdkit`.
//!
//! Tokens go through three stages: `attrs` reads what the user wrote, each value valid by construction; `model` says
//! what it means; `expand` prints it and cannot fail. Only `attrs` reads attributes, only `expand` contains `quote!`.
#![allow(clippy::result_large_err)] // rules are broken seldom, and return no box, which const evaluation has not

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
/// `kind` can be left out of a type that is named after it, as `FooSpec` is here.
///
/// `#[kube(...)]` takes the keys of kube-derive, `#[crd(...)]` these and more. The page
/// [`attributes`](../crdkit/attributes/index.html) describes each of them.
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

/// Gives a type a schema that is known while compiling, and schemars' trait.
///
/// It stands on specs, statuses and all types in them: structs with named fields, newtypes, generic types, and enums in each
/// of serde's four forms. It reads serde's and schemars' attributes, `#[x_kube(...)]` with the keys of
/// kube-derive, and `#[crd(...)]` with these and more. The page [`attributes`](../crdkit/attributes/index.html)
/// describes each of them.
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

/// [`KubeSchema`](macro@KubeSchema) under the name that schemars gives its own derive.
#[proc_macro_derive(JsonSchema, attributes(crd, x_kube, schemars, serde, validate, garde))]
pub fn json_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kube_schema(&input).into()
}

/// Makes a type for the part of another type that a program applies.
///
/// It stands on structs with named fields: on specs, on statuses, and on all types in them of which parts are applied.
/// For `struct DiskSpec` it makes `DiskSpecApply`, with a method named after each field that sets it. What is not set is
/// not sent.
///
/// ```ignore
/// let disk = DiskSpecApply::new().size("10Gi").boot(true);
/// ```
///
/// | type of the field | what the method takes |
/// |---|---|
/// | `Option<T>`, `Box<T>` | what it takes for `T` |
/// | numbers, `bool`, `char` | the value |
/// | `Vec`, `BTreeSet`, `HashSet` | anything to iterate over, also something empty, which is sent as an empty list |
/// | `BTreeMap`, `HashMap` | pairs to iterate over |
/// | a type that derives `Apply` | the type that is made for it |
/// | any type `T` | whatever is `Into<T>`, with all that is in it |
///
/// Serde's attributes mean what they mean to serde's own derive: names, `flatten`, `with`. `skip_serializing_if` does
/// not matter, as what is set is sent.
///
/// `#[apply(key)]` stands on fields that tell the items of a list with keys apart: they are arguments of `new`, and have
/// no methods.
///
/// On a spec it also makes the type of the whole resource, such as `VirtualMachineApply`, which is what a client applies.
/// It has the methods of the spec too, but for fields that are named as one of its own: `new`, `labels`, `annotations`,
/// `finalizers`, `owner_references`, `spec`, `status`, `extract`, `extract_status`; these are set by `spec`.
/// `extract(&object, manager)` has what a manager owns of an object, by its `metadata.managedFields`.
///
/// The page [`apply`](../crdkit/apply/index.html) has examples.
#[proc_macro_derive(Apply, attributes(apply, crd, kube, x_kube, serde))]
pub fn apply(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::apply(&input).into()
}

/// Gives a type with a `metadata` field the group, version, kind and scope of another resource.
///
/// `#[resource(inherit = "ConfigMap")]` names that resource. The page
/// [`attributes`](../crdkit/attributes/index.html) has an example.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::inherited_resource(&input).into()
}

/// Gives all resources of a module their group and version.
///
/// Each type in the module that derives [`CustomResource`](macro@CustomResource) gets the keys `group` and `version`, unless
/// it has its own. A module in it may have a `group_version` too, whose keys replace these.
///
/// ```ignore
/// #[crdkit::group_version(group = "example.com", version = "v1")]
/// pub mod v1 {
///     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
///     #[crd(namespaced)]
///     pub struct FooSpec {}
///
///     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
///     pub struct BarSpec {}
/// }
/// ```
///
/// The module has its body here: the compiler does not let a macro read one that is in another file, `mod v1;`. The page
/// [`attributes`](../crdkit/attributes/index.html#keys-of-group_version) has an example that runs.
#[proc_macro_attribute]
pub fn group_version(arguments: TokenStream, module: TokenStream) -> TokenStream {
    expand::group_version(&arguments.into(), module.into()).into()
}

/// A field selector of a kind. The macro of this name in `crdkit` describes it.
#[proc_macro]
pub fn selector(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as Selector);
    expand::selector(&input).into()
}
