//! `Resource` of a type that stands for another resource.

use darling::Error;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Member, Path, spanned::Spanned};

use crate::{attrs::Errors, model::crates::Crates};

pub(super) fn expand(
    input: &DeriveInput,
    inherit: Option<Path>,
    crates: &Crates,
    errors: &mut Errors,
) -> TokenStream {
    if !has_metadata(&input.data) {
        errors.push(
            Error::custom("the field `metadata` is missing: add `pub metadata: ObjectMeta`")
                .with_span(&input.ident),
        );
    }
    // Where none could be read, any resource keeps uses of the type from failing too.
    let k8s_openapi = &crates.k8s_openapi;
    let inherit =
        inherit.unwrap_or_else(|| syn::parse_quote!(#k8s_openapi::api::core::v1::ConfigMap));
    implementation(input, &inherit, crates)
}

fn has_metadata(data: &Data) -> bool {
    match data {
        Data::Struct(data) => data.fields.members().any(|member| match member {
            Member::Named(name) => name == "metadata",
            Member::Unnamed(_) => false,
        }),
        Data::Enum(_) | Data::Union(_) => false,
    }
}

fn implementation(input: &DeriveInput, inherit: &Path, crates: &Crates) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let Crates {
        private,
        kube_core,
        k8s_openapi,
        ..
    } = crates;
    let text = quote!(#private::Cow<'_, #private::str>);
    let dynamic = quote_spanned!(inherit.span()=> <#inherit as #kube_core::Resource>::DynamicType);
    let (metadata, metadata_mut) = if has_metadata(&input.data) {
        (quote!(&self.metadata), quote!(&mut self.metadata))
    } else {
        (quote!(loop {}), quote!(loop {}))
    };
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
                #metadata
            }
            fn meta_mut(&mut self) -> &mut #meta {
                #metadata_mut
            }
        }
    }
}
