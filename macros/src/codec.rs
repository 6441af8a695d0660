//! The derives of `crdkit::serde`: one function that decodes a type from any format, and one that encodes it.

mod bounds;
mod by_serde;
mod decode;
mod encode;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use serde_derive_internals::{Ctxt, Derive, ast::Container};
use syn::{DeriveInput, Member};

use crate::{attrs::apply, model::crates::Crates};

/// The implementations of `Decode` and of serde's `Deserialize`.
pub(crate) fn deserialize(input: &DeriveInput) -> TokenStream {
    expand(input, Derive::Deserialize)
}

/// The implementations of `Encode` and of serde's `Serialize`.
pub(crate) fn serialize(input: &DeriveInput) -> TokenStream {
    expand(input, Derive::Serialize)
}

fn expand(input: &DeriveInput, derive: Derive) -> TokenStream {
    let context = Ctxt::new();
    let private = Ident::new("__private", Span::call_site());
    let container = Container::from_ast(&context, input, derive, &private);
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
    let crdkit = Crates::of_resource(apply::crates(input)).crdkit;
    let tokens = match derive {
        derive if by_serde::is_needed(&container) => by_serde::expand(&container, derive, &crdkit),
        Derive::Serialize => encode::expand(&container),
        Derive::Deserialize => decode::expand(&container),
    };
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals, unused_attributes, unused_qualifications, deprecated)]
        const _: () = {
            #[allow(unused_imports)]
            use #crdkit::serde::__private::{self as __codec, ForeignDecode as _, ForeignEncode as _};
            #tokens
        };
    }
}

/// The variable of a field.
fn variable(member: &Member) -> Ident {
    match member {
        Member::Named(name) => format_ident!("__field_{name}", span = Span::call_site()),
        Member::Unnamed(index) => format_ident!("__field_{}", index.index, span = Span::call_site()),
    }
}
