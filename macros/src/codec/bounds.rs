//! What the type parameters of a type have to implement.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field},
};
use syn::{Generics, Ident, Lifetime, WherePredicate};

/// Returns the generics of a type with the bounds of an implementation, as serde's derive.
pub(super) fn of(container: &Container<'_>, derive: Derive) -> Generics {
    match derive {
        Derive::Serialize => with_bounds(
            container,
            container.attrs.ser_bound(),
            |field| field.attrs.ser_bound().map(<[_]>::to_vec),
            |field| !field.attrs.skip_serializing() && field.attrs.serialize_with().is_none(),
            &quote!(__codec::serde::Serialize),
        ),
        Derive::Deserialize => with_bounds(
            container,
            container.attrs.de_bound(),
            |field| field.attrs.de_bound().map(<[_]>::to_vec),
            |field| !field.attrs.skip_deserializing() && field.attrs.deserialize_with().is_none(),
            &quote!(__codec::serde::Deserialize<'de>),
        ),
    }
}

/// Returns the generics of a type with the predicates of `bound`, or with a bound for each type parameter that is part of a field
/// for which `is_bound` holds.
fn with_bounds(
    container: &Container<'_>,
    of_type: Option<&[WherePredicate]>,
    of_field: impl Fn(&Field<'_>) -> Option<Vec<WherePredicate>>,
    is_bound: impl Fn(&Field<'_>) -> bool,
    bound: &TokenStream,
) -> Generics {
    let mut generics = container.generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    if parameters.is_empty() {
        return generics;
    }
    let predicates = &mut generics.make_where_clause().predicates;
    for field in fields(container) {
        predicates.extend(of_field(field).into_iter().flatten());
    }
    if let Some(of_type) = of_type {
        predicates.extend(of_type.iter().cloned());
        return generics;
    }
    for parameter in parameters {
        let is_used = |field: &&Field<'_>| is_bound(field) && names(field.ty.to_token_stream(), &parameter);
        if fields(container).any(|field| is_used(&field)) {
            predicates.push(syn::parse_quote!(#parameter: #bound));
        }
    }
    generics
}

fn fields<'c>(container: &'c Container<'c>) -> Box<dyn Iterator<Item = &'c Field<'c>> + 'c> {
    match &container.data {
        Data::Struct(_, fields) => Box::new(fields.iter()),
        Data::Enum(variants) => Box::new(variants.iter().flat_map(|variant| &variant.fields)),
    }
}

/// Whether tokens name a type parameter, other than inside of `PhantomData`.
fn names(tokens: TokenStream, parameter: &Ident) -> bool {
    let mut is_marker = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            is_marker |= ident == "PhantomData";
            !is_marker && ident == *parameter
        }
        TokenTree::Group(group) => names(group.stream(), parameter),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The generics with the lifetime of what is decoded, which the borrowed lifetimes do not outlive.
pub(super) fn with_lifetime(generics: &Generics, borrowed: &BTreeSet<Lifetime>) -> Generics {
    let mut generics = generics.clone();
    let borrowed = borrowed.iter();
    generics.params.insert(0, syn::parse_quote!('de: #(#borrowed)+*));
    generics
}
