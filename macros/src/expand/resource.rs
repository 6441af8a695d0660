//! Everything that a custom resource consists of.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{checks, definition, enclosed, root, serde};
use crate::{
    attrs::resource::SchemaMode,
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
        custom_resource_ext(resource),
        subobjects(resource),
        json_schema(resource),
        unused_crates(resource),
    ];
    let checks = is_sound.then(|| [checks::of_resource(resource), cel(resource)]);
    let checks = checks.into_iter().flatten();
    let implementations = enclosed(&resource.crates, &quote!(#(#implementations)* #(#checks)*));
    let test = is_sound.then(|| test(resource));
    quote! { #errors #root #implementations #test }
}

fn kube_resource(resource: &Resource) -> TokenStream {
    let root = &resource.root;
    let Crates {
        private,
        kube_core,
        k8s_openapi,
        ..
    } = &resource.crates;
    let names = &resource.names;
    let api_version = format!("{}/{}", names.group, names.version);
    let scope = if resource.namespaced {
        quote!(NamespaceResourceScope)
    } else {
        quote!(ClusterResourceScope)
    };
    let texts = [
        ("group", names.group.as_str()),
        ("kind", names.kind.as_str()),
        ("version", names.version.as_str()),
        ("api_version", api_version.as_str()),
        ("plural", names.plural.as_str()),
    ]
    .map(|(function, text)| {
        let function = Ident::new(function, proc_macro2::Span::call_site());
        quote! {
            fn #function((): &()) -> #private::Cow<'_, #private::str> {
                #private::Cow::Borrowed(#text)
            }
        }
    });
    let meta = quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta);
    quote! {
        #[automatically_derived]
        impl #kube_core::Resource for #root {
            type DynamicType = ();
            type Scope = #kube_core::#scope;
            #(#texts)*
            fn meta(&self) -> &#meta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut #meta {
                &mut self.metadata
            }
        }
    }
}

fn custom_resource_ext(resource: &Resource) -> TokenStream {
    let root = &resource.root;
    let Crates {
        private,
        kube_core,
        k8s_openapi,
        ..
    } = &resource.crates;
    let crd_name = format!("{}.{}", resource.names.plural, resource.names.group);
    let crd = quote! {
        #k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition
    };
    quote! {
        #[automatically_derived]
        impl #kube_core::crd::v1::CustomResourceExt for #root {
            #[inline]
            fn crd() -> #crd {
                #private::crd::<Self>()
            }
            fn crd_name() -> &'static #private::str {
                #crd_name
            }
            #[inline]
            fn api_resource() -> #kube_core::dynamic::ApiResource {
                #kube_core::dynamic::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static #private::str] {
                <Self as #private::CustomResource>::DEFINITION.short_names
            }
        }
    }
}

fn subobjects(resource: &Resource) -> TokenStream {
    let (root, spec) = (&resource.root, &resource.spec);
    let (private, kube_core) = (&resource.crates.private, &resource.crates.kube_core);
    let has_status = resource.status.as_ref().map(|status| {
        quote! {
            #[automatically_derived]
            impl #kube_core::object::HasStatus for #root {
                type Status = #status;
                fn status(&self) -> #private::Option<&#status> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut #private::Option<#status> {
                    &mut self.status
                }
            }
            #[automatically_derived]
            impl #private::StatusSubresource for #root {
                type Status = #status;
                fn status(&self) -> #private::Option<&#status> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut #private::Option<#status> {
                    &mut self.status
                }
            }
        }
    });
    let has_scale = resource.scale.as_ref().map(|_| {
        quote! {
            #[automatically_derived]
            impl #private::ScaleSubresource for #root {}
        }
    });
    quote! {
        #[automatically_derived]
        impl #kube_core::object::HasSpec for #root {
            type Spec = #spec;
            fn spec(&self) -> &#spec {
                &self.spec
            }
            fn spec_mut(&mut self) -> &mut #spec {
                &mut self.spec
            }
        }
        #has_status
        #has_scale
    }
}

/// The root has a schema unless the user writes it or wants none.
fn json_schema(resource: &Resource) -> TokenStream {
    if resource.schema != SchemaMode::Derived {
        return TokenStream::new();
    }
    let root = &resource.root;
    let Crates {
        private, schemars, ..
    } = &resource.crates;
    let name = root.unraw().to_string();
    quote! {
        #[automatically_derived]
        impl #schemars::JsonSchema for #root {
            fn schema_name() -> #private::Cow<'static, #private::str> {
                #private::Cow::Borrowed(#name)
            }
            fn schema_id() -> #private::Cow<'static, #private::str> {
                #private::Cow::Borrowed(#private::type_name::<Self>())
            }
            #[inline]
            fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                #private::root_json_schema::<Self>(generator)
            }
        }
    }
}

/// `crates(kube = "...")` may name what generated code does not use, but not what is not there.
fn unused_crates(resource: &Resource) -> TokenStream {
    let unused = resource.crates.unused.iter();
    let imports = unused.map(|path| quote_spanned!(path.span()=> use #path as _;));
    quote!(#(#[allow(unused_imports)] #imports)*)
}

/// `cel`: rules run in process.
fn cel(resource: &Resource) -> TokenStream {
    let derived = resource.schema == SchemaMode::Derived;
    let Some(span) = resource.cel.filter(|_| derived) else {
        return TokenStream::new();
    };
    let private = &resource.crates.private;
    let root = &resource.root;
    let call = quote_spanned!(span=> __cel! { #root });
    quote! {
        use #private::cel_of_resource as __cel;
        #call
    }
}

/// The test that finds what const evaluation cannot see.
fn test(resource: &Resource) -> TokenStream {
    if !resource.test {
        return TokenStream::new();
    }
    let crdkit = &resource.crates.crdkit;
    let root = &resource.root;
    let name = Ident::new(
        &format!(
            "{}_is_a_valid_resource",
            snake_case(&root.unraw().to_string())
        ),
        proc_macro2::Span::call_site(),
    );
    quote! {
        #[cfg(test)]
        #[#crdkit::__private::test]
        #[allow(unnameable_test_items)]
        fn #name() {
            #crdkit::testing::check::<#root>();
        }
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
