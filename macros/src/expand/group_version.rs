//! A module, with the keys that are added to its resources.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::group_version::{BodyPart, Module};

pub(super) fn expand(module: &Module) -> TokenStream {
    let Module { attributes, vis, module: keyword, ident, body } = module;
    let body = parts(body);
    quote! { #(#attributes)* #vis #keyword #ident { #body } }
}

fn parts(parts: &[BodyPart]) -> TokenStream {
    parts.iter().map(part).collect()
}

fn part(part: &BodyPart) -> TokenStream {
    match part {
        BodyPart::Token(token) => token.to_token_stream(),
        BodyPart::Module(group, body) => {
            let mut group = Group::new(group.delimiter(), parts(body));
            group.set_span(group.span());
            TokenTree::from(group).into()
        }
        BodyPart::Keys(attrs) => {
            let keys = &attrs.keys;
            let first = keys.first();
            first.map(|first| quote_spanned!(first.span()=> #[crd(#(#keys),*)])).unwrap_or_default()
        }
    }
}
