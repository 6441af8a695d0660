//! The root type of a custom resource, with all implementations.

use darling::Error;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{DeriveInput, ext::IdentExt};

use super::{checks, definition, root, serde, wrap_in_const};
use crate::{
    attrs::{resource::SchemaMode, type_attrs::TypeAttrs},
    model::{crates::Crates, resource::Resource},
};

pub(super) fn expand(resource: &Resource, errors: TokenStream) -> TokenStream {
    let is_sound = errors.is_empty();
    let root = root::definition(resource);
    let implementations = [
        root::constructor(resource),
        root::default(resource),
        serde::expand(resource),
        kube_resource(resource),
        definition::expand(resource),
        scale_impl(resource),
        json_schema(resource),
        spec_impl(&resource.spec, &resource.crates),
    ];
    let checks = is_sound.then(|| [checks::resource_checks(resource), cel(resource)]).into_iter().flatten();
    let implementations = wrap_in_const(&resource.crates, &quote!(#(#implementations)* #(#checks)*));
    let test = is_sound.then(|| test(resource));
    quote! { #errors #root #implementations #test }
}

/// The implementation of kube's `Resource`.
fn kube_resource(resource: &Resource) -> TokenStream {
    let (root, spec, status) = (&resource.root, &resource.spec, &resource.status);
    let private = &resource.crates.private;
    let names = &resource.names;
    let (group, kind, version) = (&names.group, &names.kind, &names.version);
    let (plural, short_names) = (&names.plural, &names.short_names);
    let api_version = format!("{group}/{version}");
    let crd_name = format!("{plural}.{group}");
    let scope = if resource.namespaced { quote!(NamespaceResourceScope) } else { quote!(ClusterResourceScope) };
    let status = status.as_ref().map(|status| quote!([#status]));
    let list_kind = Some(&names.list_kind).filter(|list_kind| **list_kind != format!("{kind}List"));
    quote! {
        #private::implement_resource! {
            #root #scope #group #kind #version #api_version #plural #crd_name [#(#short_names)*] [#list_kind] [#spec] #status
        }
    }
}

/// The implementation of `Spec`, which marks the spec of a derived resource.
fn spec_impl(spec: &impl ToTokens, crates: &Crates) -> TokenStream {
    let private = &crates.private;
    quote! {
        #[automatically_derived]
        impl #private::Spec for #spec {}
    }
}

/// The implementation of `Spec` for a type whose other attributes have errors.
pub(super) fn spec_impl_of_invalid(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let mut ignored = Error::accumulator();
    let attrs = TypeAttrs::parse(input, &mut ignored);
    drop(ignored.into_inner());
    let crates = Crates::resolve(attrs.crates);
    wrap_in_const(&crates, &spec_impl(&input.ident, &crates))
}

fn scale_impl(resource: &Resource) -> TokenStream {
    let (root, private) = (&resource.root, &resource.crates.private);
    match resource.scale {
        Some(_) => quote! {
            #[automatically_derived]
            impl #private::ScaleSubresource for #root {}
        },
        None => TokenStream::new(),
    }
}

/// The implementation of `JsonSchema` for the root, unless the user provides it or disables schemas.
fn json_schema(resource: &Resource) -> TokenStream {
    if resource.schema != SchemaMode::Derived {
        return TokenStream::new();
    }
    let (root, private) = (&resource.root, &resource.crates.private);
    let name = root.unraw().to_string();
    quote!(#private::implement_json_schema! { root_json_schema #name [] #root [] })
}

/// `cel`: rules run in process.
fn cel(resource: &Resource) -> TokenStream {
    let derived = resource.schema == SchemaMode::Derived;
    if resource.cel.is_none() || !derived {
        return TokenStream::new();
    }
    let (root, private) = (&resource.root, &resource.crates.private);
    quote!(#private::cel_of_resource! { #root })
}

/// The generated test, which finds errors that const evaluation cannot detect.
///
/// A resource may be in a function, where tests never run: the lint that reports this is allowed. A module in a
/// function cannot name items of the function, so the resource is named outside of the module.
fn test(resource: &Resource) -> TokenStream {
    if !resource.test {
        return TokenStream::new();
    }
    let crdkit = &resource.crates.crdkit;
    let root = &resource.root;
    let snake = snake_case(&root.unraw().to_string());
    let module = format_ident!("__test_of_{snake}");
    let name = format_ident!("{snake}_is_a_valid_resource");
    quote! {
        #[cfg(test)]
        #[allow(unnameable_test_items)]
        mod #module {
            pub(super) struct Resource;
            #[::core::prelude::v1::test]
            fn #name() {
                Resource::check();
            }
        }
        #[cfg(test)]
        impl #module::Resource {
            fn check() {
                #crdkit::testing::check::<#root>();
            }
        }
    }
}

pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
