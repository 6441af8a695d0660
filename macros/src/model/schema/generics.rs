//! Bounds on the parameters of generic types.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, Generics};

use super::Body;
use crate::{
    attrs::type_attrs::WherePredicates,
    model::{
        keyword::{DefaultValue, Keyword},
        source::Source,
    },
};

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
    let (used, defaulted) = (used_idents(body), defaulted_idents(body));
    let parameters = |idents: &[String]| -> Vec<Ident> {
        let parameters = input.generics.type_params();
        let parameters = parameters.map(|parameter| parameter.ident.clone());
        parameters
            .filter(|ident| idents.contains(&ident.to_string()))
            .collect()
    };
    let predicates = &mut generics.make_where_clause().predicates;
    for ident in parameters(&used) {
        predicates.push(syn::parse_quote!(#ident: __KubeSchema));
    }
    for ident in parameters(&defaulted) {
        predicates.push(syn::parse_quote!(#ident: __Default));
    }
    if input.generics.type_params().next().is_some() && takes_defaults_of_self(body) {
        predicates.push(syn::parse_quote!(Self: __Default));
    }
    generics
}

fn defaults(body: &Body) -> impl Iterator<Item = &DefaultValue> {
    let fields = match body {
        Body::Object(fields) => fields.as_slice(),
        _ => &[],
    };
    let keywords = fields.iter().flat_map(|field| &field.keywords);
    keywords.filter_map(|keyword| match keyword {
        Keyword::Default(default) => Some(&default.value),
        _ => None,
    })
}

/// What occurs in the types whose own default is that of a field.
fn defaulted_idents(body: &Body) -> Vec<String> {
    let mut idents = Vec::new();
    for default in defaults(body) {
        if let DefaultValue::Type(ty) = default {
            collect_idents(ty.to_token_stream(), &mut idents);
        }
    }
    idents
}

/// Whether fields have their defaults from that of the type.
fn takes_defaults_of_self(body: &Body) -> bool {
    defaults(body).any(|default| {
        matches!(
            default,
            DefaultValue::Member {
                container: None,
                ..
            }
        )
    })
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
