//! `Resource` of a type that stands for another resource.

use darling::Error;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Path};

use crate::{attrs::Errors, model::crates::Crates};

pub(super) fn expand(
    input: &DeriveInput,
    inherit: Option<&Path>,
    crates: &Crates,
    errors: &mut Errors,
) -> TokenStream {
    if let Data::Union(_) = &input.data {
        errors.push(Error::custom("a union cannot be a resource").with_span(&input.ident));
        return TokenStream::new();
    }
    match inherit {
        Some(inherit) => implementation(input, inherit, crates),
        None => TokenStream::new(),
    }
}

fn implementation(input: &DeriveInput, inherit: &Path, crates: &Crates) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let Crates {
        crdkit,
        kube_core,
        k8s_openapi,
        ..
    } = crates;
    let text = quote!(#crdkit::__private::Cow<'_, #crdkit::__private::str>);
    let dynamic = quote!(<#inherit as #kube_core::Resource>::DynamicType);
    let functions = ["group", "kind", "version", "api_version", "plural"].map(|name| {
        let name = syn::Ident::new(name, proc_macro2::Span::call_site());
        quote! {
            fn #name(dynamic: &#dynamic) -> #text {
                <#inherit as #kube_core::Resource>::#name(dynamic)
            }
        }
    });
    let meta = quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta);
    quote! {
        #[automatically_derived]
        impl #impl_generics #kube_core::Resource for #ident #type_generics #where_clause {
            type DynamicType = #dynamic;
            type Scope = <#inherit as #kube_core::Resource>::Scope;
            #(#functions)*
            fn meta(&self) -> &#meta {
                &self.metadata
            }
            fn meta_mut(&mut self) -> &mut #meta {
                &mut self.metadata
            }
        }
    }
}
