//! The implementation of `Resource` for a type with the identity of another resource.

use darling::Error;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Member, Path, spanned::Spanned};

use crate::{attrs::Errors, model::crates::Crates};

pub(super) fn expand(input: &DeriveInput, inherit: Option<Path>, crates: &Crates, errors: &mut Errors) -> TokenStream {
    if !has_metadata(&input.data) {
        errors.push(
            Error::custom("the field `metadata` is missing: add `pub metadata: ObjectMeta`").with_span(&input.ident),
        );
    }
    // Without a valid path, any resource avoids further errors where the type is used.
    let k8s_openapi = &crates.k8s_openapi;
    let inherit = inherit.unwrap_or_else(|| syn::parse_quote!(#k8s_openapi::api::core::v1::ConfigMap));
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
    let Crates { private, kube_core, k8s_openapi, .. } = crates;
    let (metadata, metadata_mut) = if has_metadata(&input.data) {
        (quote!(&self.metadata), quote!(&mut self.metadata))
    } else {
        (quote!(loop {}), quote!(loop {}))
    };
    let identity = identity(inherit);
    let meta = quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta);
    quote! {
        const _: () = {
            use #private::{Cow as __Cow, Option as __Option, String as __String, str as __str};
            use #kube_core::Resource as __Resource;
            #[automatically_derived]
            impl #impl_generics __Resource for #ident #type_generics #where_clause {
                #identity
                fn meta(&self) -> &#meta {
                    #metadata
                }
                fn meta_mut(&mut self) -> &mut #meta {
                    #metadata_mut
                }
            }
        };
    }
}

/// The items from the other resource, on one span, so that a type that is not a resource causes one error.
fn identity(inherit: &Path) -> TokenStream {
    let span = inherit.span();
    let inherited = quote_spanned!(span=> <#inherit as __Resource>);
    let functions = ["group", "kind", "version", "api_version", "plural"].map(|name| {
        let name = syn::Ident::new(name, span);
        quote_spanned! {span=>
            fn #name(dynamic: &Self::DynamicType) -> __Cow<'_, __str> {
                #inherited::#name(dynamic)
            }
        }
    });
    quote_spanned! {span=>
        type DynamicType = #inherited::DynamicType;
        type Scope = #inherited::Scope;
        #(#functions)*
        fn url_path(dynamic: &Self::DynamicType, namespace: __Option<&__str>) -> __String {
            #inherited::url_path(dynamic, namespace)
        }
    }
}
