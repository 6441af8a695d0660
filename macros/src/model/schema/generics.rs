//! Bounds on the parameters of generic types.

use proc_macro2::Ident;
use syn::{DeriveInput, Generics};

use super::{Body, Content, Field};
use crate::{
    attrs::type_attrs::WherePredicates,
    model::{
        idents,
        keyword::{DefaultValue, Keyword},
        source::Source,
    },
};

/// Whether the type has parameters other than lifetimes.
pub(super) fn depends_on_arguments(input: &DeriveInput) -> bool {
    input.generics.params.len() > input.generics.lifetimes().count()
}

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
    let parameters = |idents: &[Ident]| -> Vec<Ident> {
        let parameters = input.generics.type_params();
        let parameters = parameters.map(|parameter| parameter.ident.clone());
        parameters.filter(|ident| idents.contains(ident)).collect()
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

/// The data of all variants.
fn contents(body: &Body) -> impl Iterator<Item = &Content> {
    let alternatives = match body {
        Body::OneOf(_, alternatives) => alternatives.as_slice(),
        _ => &[],
    };
    alternatives.iter().filter_map(|it| it.content.as_ref())
}

/// The fields of an object, and those of all variants.
fn fields(body: &Body) -> impl Iterator<Item = &Field> {
    let own = match body {
        Body::Object(fields) => fields.as_slice(),
        _ => &[],
    };
    let of_variants = contents(body).flat_map(|content| match content {
        Content::Object(fields) => fields.as_slice(),
        _ => &[],
    });
    own.iter().chain(of_variants)
}

fn defaults(body: &Body) -> impl Iterator<Item = &DefaultValue> {
    let keywords = fields(body).flat_map(|field| &field.keywords);
    keywords.filter_map(|keyword| match keyword {
        Keyword::Default(default) => Some(&default.value),
        _ => None,
    })
}

/// What occurs in the types whose own default is that of a field.
fn defaulted_idents(body: &Body) -> Vec<Ident> {
    let types = defaults(body).filter_map(|default| match default {
        DefaultValue::Type(ty) => Some(ty),
        _ => None,
    });
    types.flat_map(idents::of).collect()
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

fn used_idents(body: &Body) -> Vec<Ident> {
    let values: &[Source] = match body {
        Body::Newtype(source, _) => std::slice::from_ref(source),
        Body::Tuple(items) => items,
        _ => &[],
    };
    let of_variants = contents(body).flat_map(|content| match content {
        Content::Value(source) => std::slice::from_ref(&**source),
        Content::Tuple(items) => items,
        Content::Object(_) => &[],
    });
    let of_fields = fields(body).map(|field| &field.source);
    let sources = of_fields.chain(values).chain(of_variants);
    sources
        .filter_map(Source::types)
        .flat_map(idents::of)
        .collect()
}
