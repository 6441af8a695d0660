//! Bounds on the parameters of generic types.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, Generics};

use super::Body;
use crate::{attrs::type_attrs::WherePredicates, model::source::Source};

/// The type's generics, with a bound on each parameter that its schema depends on, or with those that the user gives.
pub(super) fn bounded(
    input: &DeriveInput,
    body: &Body,
    bound: Option<WherePredicates>,
) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    if let Some(bound) = bound {
        generics.make_where_clause().predicates.extend(bound);
        return generics;
    }
    let used = used_idents(body);
    let parameters: Vec<Ident> = generics
        .type_params()
        .map(|parameter| parameter.ident.clone())
        .filter(|ident| used.contains(&ident.to_string()))
        .collect();
    generics.make_where_clause().predicates.extend(
        parameters
            .iter()
            .map(|ident| -> syn::WherePredicate { syn::parse_quote!(#ident: __KubeSchema) }),
    );
    generics
}

fn used_idents(body: &Body) -> Vec<String> {
    let sources: Vec<&Source> = match body {
        Body::Object(fields) => fields.iter().map(|field| &field.source).collect(),
        Body::Newtype(source, _) => vec![source],
        Body::Enum(_) | Body::Unknown => Vec::new(),
    };
    let mut idents = Vec::new();
    for ty in sources.into_iter().filter_map(Source::types) {
        collect_idents(ty.to_token_stream(), &mut idents);
    }
    idents
}

fn collect_idents(tokens: TokenStream, idents: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => idents.push(ident.to_string()),
            TokenTree::Group(group) => collect_idents(group.stream(), idents),
            _ => {}
        }
    }
}
