//! The items of attributes: `key`, `key = value`, `key(...)`.

use crdkit_core::suggest::advice;
use darling::{Error, FromMeta, ast::NestedMeta, util::path_to_string};
use proc_macro2::TokenStream;
use syn::{
    Attribute, Meta, MetaList, Token,
    parse::{ParseStream, Parser},
};

use super::Errors;

/// The items of every `#[name(...)]`.
pub(crate) fn of_attribute(attrs: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        match &attr.meta {
            Meta::List(list) => items.extend(of_list(list, errors)),
            other => errors.push(Error::custom(format!("expected `#[{name}(...)]`")).with_span(other)),
        }
    }
    items
}

/// The items of `key(...)`; each literal is an error.
pub(crate) fn of_list(list: &MetaList, errors: &mut Errors) -> Vec<Meta> {
    of_tokens(&list.tokens, errors)
}

/// The items among these tokens; each literal is an error.
pub(crate) fn of_tokens(tokens: &TokenStream, errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for item in nested(tokens, errors) {
        match item {
            NestedMeta::Meta(meta) => items.push(meta),
            NestedMeta::Lit(lit) => {
                errors.push(Error::custom(literal_after(items.last())).with_span(&lit));
            }
            NestedMeta::NameValueInvalidExpr(invalid) => errors.push(invalid.error),
        }
    }
    items
}

/// What is said of a literal among keys.
fn literal_after(previous: Option<&Meta>) -> &'static str {
    match previous {
        Some(item) if item.path().is_ident("validation") => {
            "a rule and its message are a pair: `validation = (\"...\", \"...\")`"
        }
        _ => "expected a key, not a literal",
    }
}

/// What stands between commas. What cannot be read is an error, and what follows it is read all the same.
pub(crate) fn nested(tokens: &TokenStream, errors: &mut Errors) -> Vec<NestedMeta> {
    let parser = |input: ParseStream| {
        let mut items = Vec::new();
        while !input.is_empty() {
            match input.parse::<NestedMeta>() {
                Ok(item) => items.push(item),
                Err(error) => {
                    errors.push(error.into());
                    skip_to_comma(input)?;
                }
            }
            if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
                errors.push(input.error("expected `,`").into());
            }
        }
        Ok(items)
    };
    parser.parse2(tokens.clone()).unwrap_or_default()
}

fn skip_to_comma(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// The name of an item.
pub(crate) fn name(item: &Meta) -> String {
    path_to_string(item.path())
}

/// Reads an item that may occur once.
pub(crate) fn once<T: FromMeta>(slot: &mut Option<T>, item: &Meta, errors: &mut Errors) {
    if slot.is_some() {
        errors.push(duplicate(item));
    } else {
        *slot = errors.handle(T::from_meta(item));
    }
}

/// Reads an item that may occur again and again.
pub(crate) fn many<T: FromMeta>(slot: &mut Vec<T>, item: &Meta, errors: &mut Errors) {
    slot.extend(errors.handle(T::from_meta(item)));
}

pub(crate) fn duplicate(item: &Meta) -> Error {
    Error::custom(format!("`{}` is given twice", name(item))).with_span(item)
}

/// A key that does not exist, with the one that was probably meant.
pub(crate) fn unknown(item: &Meta, known: &[&str]) -> Error {
    Error::custom(unknown_key(&name(item), known)).with_span(item.path())
}

pub(crate) fn unknown_key(key: &str, known: &[&str]) -> String {
    if RULE_METHODS.contains(&key) && known.contains(&"validation") {
        return format!("`{key}` is part of a rule: write `validation = Rule::new(\"...\").{key}(...)`");
    }
    format!("unknown key `{key}`: {}", advice(key, known))
}

/// What a rule is told by methods.
const RULE_METHODS: &[&str] = &["message", "reason", "field_path", "optional_old_self"];

/// What is said of keys that must be there, each with an example, and whether it is; none if all are.
pub(crate) fn missing(keys: &[(&str, &str, bool)], around: impl Fn(&str) -> String) -> Option<String> {
    let missing: Vec<_> = keys.iter().filter(|(.., there)| !there).collect();
    let names: Vec<_> = missing.iter().map(|(key, ..)| format!("`{key}`")).collect();
    let examples: Vec<_> = missing.iter().map(|(_, example, _)| *example).collect();
    let subject = match names.as_slice() {
        [] => return None,
        [name] => format!("{name} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
    };
    let example = around(&examples.join(", "));
    Some(format!("{subject} missing: add `{example}`"))
}

/// Whether nothing failed so far: else what seems to be missing may be what failed.
pub(crate) fn none_failed(errors: &mut Errors) -> bool {
    let failed = std::mem::take(errors).into_inner();
    let none = failed.is_empty();
    errors.extend(failed);
    none
}
