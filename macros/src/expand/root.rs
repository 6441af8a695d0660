//! The root type.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::resource::Resource;

pub(super) fn definition(resource: &Resource) -> TokenStream {
    let Resource { vis, root, spec, doc, derives, attributes, crates, .. } = resource;
    let (crdkit, k8s_openapi) = (&crates.crdkit, &crates.k8s_openapi);
    let status = resource.status.as_ref().map(|status| {
        quote! {
            /// The observed state of the resource.
            #vis status: #crdkit::__private::Option<#status>,
        }
    });
    // On the span of the derive, so that the compiler does not suggest parameters after the kind.
    let no_generics = quote!(<>);
    quote! {
        #[doc = #doc]
        #[::core::prelude::v1::derive(::core::clone::Clone, ::core::fmt::Debug #(, #derives)*)]
        #(#[#attributes])*
        #vis struct #root #no_generics {
            /// The metadata that every Kubernetes object has.
            #vis metadata: #k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
            /// The desired state of the resource.
            #vis spec: #spec,
            #status
        }
    }
}

fn status_none(resource: &Resource) -> Option<TokenStream> {
    let private = &resource.crates.private;
    resource.status.is_some().then(|| quote!(status: #private::None,))
}

pub(super) fn constructor(resource: &Resource) -> TokenStream {
    let Resource { root, spec, .. } = resource;
    let private = &resource.crates.private;
    let status = status_none(resource);
    quote! {
        #[automatically_derived]
        impl #root {
            /// Creates an object with a name and a spec.
            #[inline]
            pub fn new(name: &#private::str, spec: #spec) -> Self {
                Self {
                    metadata: #private::named(name),
                    spec,
                    #status
                }
            }
        }
    }
}

/// The implementation of `Default`, only on request: whether the spec has one is not known here.
pub(super) fn default(resource: &Resource) -> TokenStream {
    if !resource.default {
        return TokenStream::new();
    }
    let root = &resource.root;
    let private = &resource.crates.private;
    let status = status_none(resource);
    quote! {
        #[automatically_derived]
        impl #private::Default for #root {
            fn default() -> Self {
                Self {
                    metadata: #private::Default::default(),
                    spec: #private::Default::default(),
                    #status
                }
            }
        }
    }
}
