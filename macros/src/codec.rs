//! The derives of `crdkit::serde`: one function that decodes a type from any format, and one that encodes it.

mod bounds;
mod by_serde;
mod decode;
mod encode;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use serde_derive_internals::{
    Ctxt, Derive,
    ast::{Container, Field},
    replace_receiver,
};
use syn::{DeriveInput, Lifetime, Member, Type, ext::IdentExt, spanned::Spanned};

use crate::{attrs::apply, model::crates::Crates};

/// The implementations of `Decode` and of serde's `Deserialize`.
pub(crate) fn deserialize(input: DeriveInput) -> TokenStream {
    expand(input, Derive::Deserialize)
}

/// The implementations of `Encode` and of serde's `Serialize`.
pub(crate) fn serialize(input: DeriveInput) -> TokenStream {
    expand(input, Derive::Serialize)
}

fn expand(mut input: DeriveInput, derive: Derive) -> TokenStream {
    replace_receiver(&mut input);
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, &input, derive, &private);
    if let Err(error) = context.check() {
        return error.into_compile_error();
    }
    let Some(container) = container else {
        return TokenStream::new();
    };
    if let Some(remote) = container.attrs.remote() {
        let message = "this derive has no `remote`: derive serde's own `Serialize` and `Deserialize` for the type that stands for another";
        return syn::Error::new_spanned(remote, message).into_compile_error();
    }
    let crdkit = Crates::of_resource(apply::crates(&input)).crdkit;
    let tokens = match derive {
        derive if by_serde::is_needed(&container) => by_serde::expand(&container, derive, &crdkit),
        Derive::Serialize => encode::expand(&container),
        Derive::Deserialize => decode::expand(&container),
    };
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals, unused_attributes, unused_qualifications, deprecated, clippy::absolute_paths)]
        const _: () = {
            #[allow(unused_imports)]
            use #crdkit::serde::__private::{self as __codec, ForeignDecode as _, ForeignEncode as _};
            #tokens
        };
    }
}

/// The implementations of `Decode`, with its functions, and of serde's `Deserialize`, with the body of its function.
fn implementations_of_deserialize(
    container: &Container<'_>,
    borrowed: &BTreeSet<Lifetime>,
    decode: &TokenStream,
    deserialize: &TokenStream,
) -> TokenStream {
    let generics = bounds::of(container, Derive::Deserialize);
    let with_lifetime = bounds::with_lifetime(&generics, borrowed);
    let (impl_generics, _, where_clause) = with_lifetime.split_for_impl();
    let (_, type_generics, _) = generics.split_for_impl();
    let ident = &container.ident;
    quote! {
        #[automatically_derived]
        impl #impl_generics __codec::Decode<'de> for #ident #type_generics #where_clause {
            #decode
        }
        #[automatically_derived]
        impl #impl_generics __codec::serde::Deserialize<'de> for #ident #type_generics #where_clause {
            fn deserialize<__D: __codec::serde::Deserializer<'de>>(
                __deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #deserialize
            }
        }
    }
}

/// The implementations of `Encode` and of serde's `Serialize`, with the bodies of their functions.
fn implementations_of_serialize(
    container: &Container<'_>,
    encode: &TokenStream,
    serialize: &TokenStream,
) -> TokenStream {
    let generics = bounds::of(container, Derive::Serialize);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let ident = &container.ident;
    // Compiled where it is used, as the function that decodes.
    quote! {
        #[automatically_derived]
        impl #impl_generics __codec::Encode for #ident #type_generics #where_clause {
            #[inline]
            fn encode(&self, __sink: &mut dyn __codec::Sink) -> __codec::Encoded {
                #encode
            }
        }
        #[automatically_derived]
        impl #impl_generics __codec::serde::Serialize for #ident #type_generics #where_clause {
            fn serialize<__S: __codec::serde::Serializer>(
                &self,
                __serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #serialize
            }
        }
    }
}

/// The variable of a field. Errors about it are on the type of the field.
fn variable(field: &Field<'_>) -> Ident {
    let span = Span::call_site().located_at(field.ty.span());
    match &field.member {
        Member::Named(name) => format_ident!("__field_{}", name.unraw(), span = span),
        Member::Unnamed(index) => format_ident!("__field_{}", index.index, span = span),
    }
}

/// `Probe` of a type. An error about the type is on it; the lifetime is that of generated code, also where a macro wrote the type.
fn probe(ty: &Type, lifetime: &str) -> TokenStream {
    let lifetime = Lifetime::new(lifetime, Span::call_site().located_at(ty.span()));
    quote_spanned!(ty.span()=> __codec::Probe::<#lifetime, #ty>)
}
