//! Everything that a custom resource consists of.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, ext::IdentExt, spanned::Spanned};

use super::{checks, definition, root, serde};
use crate::{
    attrs::resource::SchemaMode,
    model::{crates::Crates, resource::Resource},
};

pub(super) fn expand(resource: &Resource, errors: TokenStream) -> TokenStream {
    let crdkit = &resource.crates.crdkit;
    let is_sound = errors.is_empty();
    let root = root::expand(resource);
    let implementations = [
        serde::expand(resource),
        kube_resource(resource),
        definition::expand(resource),
        custom_resource_ext(resource),
        subobjects(resource),
        json_schema(resource),
    ];
    let checks = is_sound.then(|| checks::of_resource(resource));
    let unused_crates = unused_crates(resource);
    let cel = is_sound.then(|| cel(resource));
    let test = is_sound.then(|| test(resource));
    quote! {
        #errors
        #root
        #[allow(deprecated)]
        const _: () = {
            #[allow(unused_imports)]
            use #crdkit::__private::{Fallback as _, Probe as __Probe, require as __require};
            #(#implementations)*
            #checks
            #unused_crates
        };
        #cel
        #test
    }
}

fn kube_resource(resource: &Resource) -> TokenStream {
    let root = &resource.root;
    let Crates {
        crdkit,
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
            fn #function((): &()) -> #crdkit::__private::Cow<'_, #crdkit::__private::str> {
                #crdkit::__private::borrowed(#text)
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
        crdkit,
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
            fn crd() -> #crd {
                #crdkit::__private::crd::<Self>()
            }
            fn crd_name() -> &'static #crdkit::__private::str {
                #crd_name
            }
            fn api_resource() -> #kube_core::dynamic::ApiResource {
                #kube_core::dynamic::ApiResource::erase::<Self>(&())
            }
            fn shortnames() -> &'static [&'static #crdkit::__private::str] {
                <Self as #crdkit::__private::CustomResource>::DEFINITION.short_names
            }
        }
    }
}

fn subobjects(resource: &Resource) -> TokenStream {
    let (root, spec) = (&resource.root, &resource.spec);
    let (crdkit, kube_core) = (&resource.crates.crdkit, &resource.crates.kube_core);
    let has_status = resource.status.as_ref().map(|status| {
        quote! {
            #[automatically_derived]
            impl #kube_core::object::HasStatus for #root {
                type Status = #status;
                fn status(&self) -> #crdkit::__private::Option<&#status> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut #crdkit::__private::Option<#status> {
                    &mut self.status
                }
            }
            #[automatically_derived]
            impl #crdkit::__private::StatusSubresource for #root {
                type Status = #status;
                fn status(&self) -> #crdkit::__private::Option<&#status> {
                    self.status.as_ref()
                }
                fn status_mut(&mut self) -> &mut #crdkit::__private::Option<#status> {
                    &mut self.status
                }
            }
        }
    });
    let has_scale = resource.scale.as_ref().map(|_| {
        quote! {
            #[automatically_derived]
            impl #crdkit::__private::ScaleSubresource for #root {}
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
        crdkit, schemars, ..
    } = &resource.crates;
    let name = root.unraw().to_string();
    quote! {
        #[automatically_derived]
        impl #schemars::JsonSchema for #root {
            fn inline_schema() -> #crdkit::__private::bool {
                true
            }
            fn schema_name() -> #crdkit::__private::Cow<'static, #crdkit::__private::str> {
                #crdkit::__private::borrowed(#name)
            }
            fn schema_id() -> #crdkit::__private::Cow<'static, #crdkit::__private::str> {
                #crdkit::__private::borrowed(#crdkit::__private::type_name::<Self>())
            }
            fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                #crdkit::__private::root_json_schema::<Self>(generator)
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
    let crdkit = &resource.crates.crdkit;
    let root = &resource.root;
    let call = quote_spanned!(span=> __cel! { #root });
    quote! {
        const _: () = {
            use #crdkit::__private::cel_of_resource as __cel;
            #call
        };
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
