//! The items of an attribute: `key`, `key = value`, `key(...)`.

use crdkit_core::suggest::suggestion;
use darling::{Error, FromMeta, ast::NestedMeta, util::path_to_string};
use proc_macro2::TokenStream;
use syn::{
    Attribute, Meta, MetaList, Token,
    parse::{ParseStream, Parser},
};

use super::Errors;

/// The items of every `#[name(...)]`.
pub(crate) fn parse_attribute(attrs: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        match &attr.meta {
            Meta::List(list) => items.extend(parse_list(list, errors)),
            other => errors.push(Error::custom(format!("expected `#[{name}(...)]`")).with_span(other)),
        }
    }
    items
}

/// The items of `key(...)`. Reports literals.
pub(crate) fn parse_list(list: &MetaList, errors: &mut Errors) -> Vec<Meta> {
    parse_items(&list.tokens, errors)
}

/// The items in these tokens. Reports literals.
pub(crate) fn parse_items(tokens: &TokenStream, errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for item in parse_nested(tokens, errors) {
        match item {
            NestedMeta::Meta(meta) => items.push(meta),
            NestedMeta::Lit(lit) => {
                errors.push(Error::custom(unexpected_literal(items.last())).with_span(&lit));
            }
            NestedMeta::NameValueInvalidExpr(invalid) => errors.push(invalid.error),
        }
    }
    items
}

/// The message for a literal among keys.
fn unexpected_literal(previous: Option<&Meta>) -> &'static str {
    match previous {
        Some(item) if item.path().is_ident("validation") => {
            "write a rule and its message as a pair: `validation = (\"...\", \"...\")`"
        }
        _ => "expected a key, not a literal",
    }
}

/// The items between commas. After an item that cannot be parsed, parsing continues with the next one.
pub(crate) fn parse_nested(tokens: &TokenStream, errors: &mut Errors) -> Vec<NestedMeta> {
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
    let items = parser.parse2(tokens.clone());
    errors.handle(items.map_err(Error::from)).unwrap_or_default()
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

/// Parses an item that may occur once.
pub(crate) fn parse_once<T: FromMeta>(slot: &mut Option<T>, item: &Meta, errors: &mut Errors) {
    if slot.is_some() {
        errors.push(duplicate(item));
    } else {
        *slot = errors.handle(T::from_meta(item));
    }
}

/// Parses an item that may occur several times.
pub(crate) fn parse_repeated<T: FromMeta>(slot: &mut Vec<T>, item: &Meta, errors: &mut Errors) {
    slot.extend(errors.handle(T::from_meta(item)));
}

pub(crate) fn duplicate(item: &Meta) -> Error {
    Error::custom(format!("`{}` is given twice", name(item))).with_span(item)
}

/// The error for an unknown key, with a suggestion.
pub(crate) fn unknown(item: &Meta, known: &[&str]) -> Error {
    Error::custom(unknown_key(&name(item), known)).with_span(item.path())
}

pub(crate) fn unknown_key(key: &str, known: &[&str]) -> String {
    if RULE_METHODS.contains(&key) && known.contains(&"validation") {
        return format!("`{key}` is part of a rule: write `validation = Rule::new(\"...\").{key}(...)`");
    }
    format!("unknown key `{key}`: {}", suggestion(key, known))
}

/// The methods of a rule.
const RULE_METHODS: &[&str] = &["message", "reason", "field_path", "optional_old_self"];

/// The error for a key that only `#[crd(...)]` has, in another attribute.
pub(crate) fn only_in_crd(item: &Meta) -> Error {
    Error::custom(format!("`{}` belongs in `#[crd(...)]`", name(item))).with_span(item)
}

/// The message for required keys that are missing, if any. Each key has an example, and whether it is present.
pub(crate) fn missing_keys(keys: &[(&str, &str, bool)], wrap: impl Fn(&str) -> String) -> Option<String> {
    let missing: Vec<_> = keys.iter().filter(|(.., there)| !there).collect();
    let names: Vec<_> = missing.iter().map(|(key, ..)| format!("`{key}`")).collect();
    let examples: Vec<_> = missing.iter().map(|(_, example, _)| *example).collect();
    let subject = match names.as_slice() {
        [] => return None,
        [name] => format!("{name} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
    };
    let example = wrap(&examples.join(", "));
    Some(format!("{subject} missing: add `{example}`"))
}

/// Whether there are no errors so far. If there are, an item that seems to be missing may be one that failed.
pub(crate) fn no_errors(errors: &mut Errors) -> bool {
    let failed = std::mem::take(errors).into_inner();
    let none = failed.is_empty();
    errors.extend(failed);
    none
}
