//! The attributes of serde, which those of schemars can override.

use std::collections::BTreeSet;

use darling::Error;
use proc_macro2::{Ident, Span};
use quote::quote;
use syn::{
    AttrStyle, Attribute, Data, DeriveInput, Field, Fields, MacroDelimiter, Meta, MetaList, Token,
    parse::Parse,
    punctuated::Punctuated,
    spanned::Spanned,
    token::{Bracket, Paren},
};

use super::Errors;

/// Keys of `#[serde(...)]` that `#[schemars(...)]` can override.
const SHARED_KEYS: &[&str] = &[
    "rename",
    "rename_all",
    "rename_all_fields",
    "deny_unknown_fields",
    "tag",
    "content",
    "untagged",
    "default",
    "skip",
    "skip_serializing",
    "skip_serializing_if",
    "skip_deserializing",
    "flatten",
    "remote",
    "transparent",
    "into",
    "from",
    "try_from",
];

/// The other keys that affect the JSON form of a type. The rest is ignored.
const SERDE_ONLY_KEYS: &[&str] = &["serialize_with", "deserialize_with", "with", "alias", "other"];

pub(crate) fn is_shared(key: &str) -> bool {
    SHARED_KEYS.contains(&key)
}

fn is_read(key: &str) -> bool {
    is_shared(key) || SERDE_ONLY_KEYS.contains(&key)
}

/// An item of `#[schemars(...)]`: `!name` unsets the serde attribute `name`.
pub(crate) enum Item {
    Meta(Meta),
    Unset(Ident),
}

impl Parse for Item {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Self> {
        if input.peek(Token![!]) {
            input.parse::<Token![!]>()?;
            return input.parse().map(Self::Unset);
        }
        input.parse().map(Self::Meta)
    }
}

/// The items of every `#[name(...)]`.
pub(crate) fn items(attrs: &[Attribute], name: &str) -> syn::Result<Vec<Item>> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        items.extend(attr.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated)?);
    }
    Ok(items)
}

/// The type with only the serde attributes that apply to its schema.
pub(crate) fn effective_input(input: &DeriveInput, errors: &mut Errors) -> DeriveInput {
    let mut input = input.clone();
    rewrite(&mut input.attrs, errors);
    match &mut input.data {
        Data::Struct(data) => rewrite_fields(&mut data.fields, errors),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                rewrite(&mut variant.attrs, errors);
                rewrite_fields(&mut variant.fields, errors);
            }
        }
        Data::Union(_) => {}
    }
    input
}

fn rewrite_fields(fields: &mut Fields, errors: &mut Errors) {
    for field in fields {
        rewrite(&mut field.attrs, errors);
    }
}

fn rewrite(attrs: &mut Vec<Attribute>, errors: &mut Errors) {
    if !attrs.iter().any(|attr| attr.path().is_ident("schemars") || attr.path().is_ident("serde")) {
        attrs.clear();
        return;
    }
    let schemars = items(attrs, "schemars").unwrap_or_default(); // reported where schemars is read
    let serde = items(attrs, "serde").unwrap_or_default(); // reported by serde
    attrs.clear();
    let metas = merge(&schemars, serde, errors);
    if !metas.is_empty() {
        attrs.push(attribute(&metas));
    }
}

/// `#[serde(...)]` with these items. Unlike `parse_quote!`, it does not parse them again.
fn attribute(items: &[Meta]) -> Attribute {
    let path = Ident::new("serde", Span::call_site()).into();
    let delimiter = MacroDelimiter::Paren(Paren::default());
    let meta = Meta::List(MetaList { path, delimiter, tokens: quote!(#(#items),*) });
    Attribute { pound_token: <Token![#]>::default(), style: AttrStyle::Outer, bracket_token: Bracket::default(), meta }
}

/// Whether one of these keys applies to the schema of a field.
pub(crate) fn has_key(field: &Field, keys: &[&str]) -> bool {
    let mut attrs = field.attrs.clone();
    let mut ignored = Error::accumulator();
    rewrite(&mut attrs, &mut ignored);
    drop(ignored.into_inner());
    let is_listed = |item: &Item| matches!(item, Item::Meta(meta) if keys.contains(&key(meta).as_str()));
    items(&attrs, "serde").is_ok_and(|items| items.iter().any(is_listed))
}

fn merge(schemars: &[Item], serde: Vec<Item>, errors: &mut Errors) -> Vec<Meta> {
    let mut metas = Vec::new();
    let mut overridden = BTreeSet::new();
    let mut unset = Vec::new();
    for item in schemars {
        match item {
            Item::Meta(meta) if is_shared(&key(meta)) => {
                overridden.extend(overridden_keys(&key(meta)));
                metas.push(meta.clone());
            }
            Item::Meta(_) => {}
            Item::Unset(ident) => unset.push(ident),
        }
    }
    let mut seen = BTreeSet::new();
    for item in serde {
        if let Item::Meta(meta) = item {
            let key = key(&meta);
            let is_unset = unset.iter().any(|ident| **ident == key);
            if !overridden.contains(&key) && !is_unset && is_read(&key) {
                metas.push(meta);
            }
            seen.insert(key);
        }
    }
    for ident in unset {
        if !seen.contains(&ident.to_string()) {
            errors.push(unset_without_effect(&ident.to_string(), ident.span()));
        }
    }
    metas
}

fn unset_without_effect(key: &str, span: Span) -> Error {
    Error::custom(format!("`!{key}` has no effect: there is no `#[serde({key})]` to override")).with_span(&span)
}

fn overridden_keys(key: &str) -> Vec<String> {
    let mut keys = vec![key.to_owned()];
    if key == "skip" {
        keys.extend(["skip_serializing".to_owned(), "skip_deserializing".to_owned()]);
    }
    keys
}

/// The first item of this name in `#[schemars(...)]`, or else in `#[serde(...)]`.
pub(crate) fn find(attrs: &[Attribute], name: &str) -> Option<Meta> {
    find_all(attrs, name).into_iter().next()
}

/// The items of this name, first in `#[schemars(...)]`, then in `#[serde(...)]`.
pub(crate) fn find_all(attrs: &[Attribute], name: &str) -> Vec<Meta> {
    let both = ["schemars", "serde"].map(|attribute| items(attrs, attribute).unwrap_or_default());
    let found = both.into_iter().flatten().filter_map(|item| match item {
        Item::Meta(meta) if meta.path().is_ident(name) => Some(meta),
        _ => None,
    });
    found.collect()
}

pub(crate) fn key(meta: &Meta) -> String {
    meta.path().get_ident().map(ToString::to_string).unwrap_or_default()
}

/// The value of `#[serde(with = "...")]`, which serde_derive_internals splits into two functions.
pub(crate) fn with_module(attrs: &[Attribute]) -> Option<(syn::Path, Span)> {
    let metas = items(attrs, "serde").ok()?;
    metas.iter().find_map(|item| match item {
        Item::Meta(Meta::NameValue(value)) if value.path.is_ident("with") => match &value.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some((text.parse().ok()?, value.span())),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}
