//! The identifiers in tokens.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

/// All identifiers, also those in groups.
pub(crate) fn collect(tokens: impl ToTokens) -> Vec<Ident> {
    let mut idents = Vec::new();
    collect_into(tokens.into_token_stream(), &mut idents);
    idents
}

/// Whether tokens contain `Self`.
pub(crate) fn mentions_self(tokens: impl ToTokens) -> bool {
    collect(tokens).iter().any(|ident| ident == "Self")
}

/// Whether an attribute contains `Self`, also in string literals, which may be code.
pub(crate) fn may_mention_self(attribute: impl ToTokens) -> bool {
    let names_self = |token: TokenTree| match token {
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Group(group) => may_mention_self(group.stream()),
        TokenTree::Literal(literal) => literal.to_string().contains("Self"),
        TokenTree::Punct(_) => false,
    };
    attribute.into_token_stream().into_iter().any(names_self)
}

fn collect_into(tokens: TokenStream, idents: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => idents.push(ident),
            TokenTree::Group(group) => collect_into(group.stream(), idents),
            _ => {}
        }
    }
}
