//! The test of a function that returns webhooks.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::model::checked::CheckedFunction;

/// A module in a function cannot name items of the function, so the webhooks are named outside of the module.
pub(super) fn test(function: &CheckedFunction) -> TokenStream {
    let CheckedFunction { ident, client, arguments, crdkit } = function;
    let crdkit = crdkit.as_ref().map_or_else(|| quote!(::crdkit), |path| quote!(#path));
    let module = format_ident!("__test_of_{}", ident.unraw());
    let name = format_ident!("the_api_server_accepts_{}", ident.unraw());
    let client = match client {
        Some(client) => quote!(::core::option::Option::Some(&(#client))),
        None => quote!(::core::option::Option::None),
    };
    let webhooks = quote_spanned!(ident.span()=> &#ident(#(#arguments),*));
    quote! {
        #[cfg(test)]
        #[allow(unnameable_test_items)]
        mod #module {
            pub(super) struct Webhooks;
            #[::core::prelude::v1::test]
            fn #name() {
                Webhooks::check();
            }
        }
        #[cfg(test)]
        impl #module::Webhooks {
            fn check() {
                #crdkit::__private::webhook::assert_accepted(#webhooks, #client);
            }
        }
    }
}
