//! What the type parameters of a type have to implement: as serde's derives, so that a type with either has the same bounds.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_derive_internals::{
    Derive,
    ast::{Container, Data, Field, Variant},
    attr::Default,
};
use syn::{Generics, Ident, Lifetime, Type, WherePredicate};

/// Returns the generics of a type with the bounds of an implementation.
pub(super) fn of(container: &Container<'_>, derive: Derive) -> Generics {
    let mut generics = container.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.default = None;
    }
    let parameters: Vec<Ident> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let predicates = predicates(container, derive, &parameters);
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

fn predicates(container: &Container<'_>, derive: Derive, parameters: &[Ident]) -> Vec<WherePredicate> {
    let mut predicates = Vec::new();
    for (field, variant) in fields(container) {
        predicates.extend(bound_of_field(field, derive).into_iter().flatten().cloned());
        predicates.extend(variant.and_then(|variant| bound_of_variant(variant, derive)).into_iter().flatten().cloned());
    }
    let of_type = match derive {
        Derive::Serialize => container.attrs.ser_bound(),
        Derive::Deserialize => container.attrs.de_bound(),
    };
    if let Some(of_type) = of_type {
        predicates.extend(of_type.iter().cloned());
        return predicates;
    }
    let bound = match derive {
        Derive::Serialize => quote!(__codec::serde::Serialize),
        Derive::Deserialize => quote!(__codec::serde::Deserialize<'de>),
    };
    predicates.extend(inferred(container, parameters, &bound, |field, variant| is_bound(field, variant, derive)));
    if matches!(derive, Derive::Deserialize) {
        let default = quote!(::core::default::Default);
        let is_default = |field: &Field<'_>, _: Option<&Variant<'_>>| matches!(field.attrs.default(), Default::Default);
        predicates.extend(inferred(container, parameters, &default, is_default));
        if matches!(container.attrs.default(), Default::Default) && !container.generics.params.is_empty() {
            let (ident, (_, type_generics, _)) = (&container.ident, container.generics.split_for_impl());
            predicates.push(syn::parse_quote!(#ident #type_generics: #default));
        }
    }
    predicates
}

fn bound_of_field<'f>(field: &'f Field<'_>, derive: Derive) -> Option<&'f [WherePredicate]> {
    match derive {
        Derive::Serialize => field.attrs.ser_bound(),
        Derive::Deserialize => field.attrs.de_bound(),
    }
}

fn bound_of_variant<'v>(variant: &'v Variant<'_>, derive: Derive) -> Option<&'v [WherePredicate]> {
    match derive {
        Derive::Serialize => variant.attrs.ser_bound(),
        Derive::Deserialize => variant.attrs.de_bound(),
    }
}

/// Whether the type of a field is read or written by its own implementation, and has no `bound` of its own.
fn is_bound(field: &Field<'_>, variant: Option<&Variant<'_>>, derive: Derive) -> bool {
    let (is_left_out, of_variant) = match derive {
        Derive::Serialize => (
            field.attrs.skip_serializing() || field.attrs.serialize_with().is_some(),
            variant.is_some_and(|it| it.attrs.skip_serializing() || it.attrs.serialize_with().is_some()),
        ),
        Derive::Deserialize => (
            field.attrs.skip_deserializing() || field.attrs.deserialize_with().is_some(),
            variant.is_some_and(|it| it.attrs.skip_deserializing() || it.attrs.deserialize_with().is_some()),
        ),
    };
    let has_bound = bound_of_field(field, derive).is_some()
        || variant.is_some_and(|variant| bound_of_variant(variant, derive).is_some());
    !is_left_out && !of_variant && !has_bound
}

/// Returns a bound for each type parameter that is part of a field, and for each field whose type is one of a parameter.
fn inferred(
    container: &Container<'_>,
    parameters: &[Ident],
    bound: &TokenStream,
    is_bound: impl Fn(&Field<'_>, Option<&Variant<'_>>) -> bool,
) -> Vec<WherePredicate> {
    let mut found = BTreeSet::new();
    let mut associated = Vec::new();
    for (field, _) in fields(container).filter(|(field, variant)| is_bound(field, *variant)) {
        find(field.ty.to_token_stream(), parameters, &mut found);
        if let Type::Path(path) = field.ty
            && path.path.segments.len() > 1
            && parameters.contains(&path.path.segments[0].ident)
        {
            associated.push(path);
        }
    }
    let of_parameters = parameters.iter().filter(|parameter| found.contains(*parameter));
    let of_parameters = of_parameters.map(|parameter| syn::parse_quote!(#parameter: #bound));
    of_parameters.chain(associated.into_iter().map(|path| syn::parse_quote!(#path: #bound))).collect()
}

fn fields<'c>(container: &'c Container<'c>) -> Box<dyn Iterator<Item = (&'c Field<'c>, Option<&'c Variant<'c>>)> + 'c> {
    match &container.data {
        Data::Struct(_, fields) => Box::new(fields.iter().map(|field| (field, None))),
        Data::Enum(variants) => {
            Box::new(variants.iter().flat_map(|variant| variant.fields.iter().map(move |field| (field, Some(variant)))))
        }
    }
}

/// Finds the parameters that the tokens of a type name, other than inside of `PhantomData`, which needs no bound.
fn find(tokens: TokenStream, parameters: &[Ident], found: &mut BTreeSet<Ident>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is = |at: Option<usize>, character: char| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
    };
    let is_colons = |at: usize| is(Some(at), ':') && is(Some(at + 1), ':');
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(ident) if ident == "PhantomData" && is(Some(at + 1), '<') => {
                at = closing(&tokens, at + 1);
            }
            TokenTree::Ident(ident) if parameters.contains(ident) => {
                let before = at.checked_sub(1);
                let is_whole_path = !is(before, ':') && !is_colons(at + 1);
                let is_lifetime_or_macro = is(before, '\'') || is(Some(at + 1), '!');
                if is_whole_path && !is_lifetime_or_macro {
                    found.insert(ident.clone());
                }
            }
            TokenTree::Group(group) => find(group.stream(), parameters, found),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
}

/// Returns the index of the `>` that closes the `<` at an index.
fn closing(tokens: &[TokenTree], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// The generics with the lifetime of what is decoded, which the borrowed lifetimes do not outlive.
pub(super) fn with_lifetime(generics: &Generics, borrowed: &BTreeSet<Lifetime>) -> Generics {
    let mut generics = generics.clone();
    let borrowed = borrowed.iter();
    generics.params.insert(0, syn::parse_quote!('de: #(#borrowed)+*));
    generics
}
