//! The items of attributes: `key`, `key = value`, `key(...)`.

use darling::{Error, FromMeta, ast::NestedMeta, util::path_to_string};
use syn::{Attribute, Meta};

use super::Errors;

/// The items of every `#[name(...)]`.
pub(crate) fn of_attribute(attrs: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        match &attr.meta {
            Meta::List(list) => match NestedMeta::parse_meta_list(list.tokens.clone()) {
                Ok(nested) => items.extend(metas(&nested, errors)),
                Err(error) => errors.push(error.into()),
            },
            other => {
                errors.push(Error::custom(format!("expected `#[{name}(...)]`")).with_span(other))
            }
        }
    }
    items
}

/// The items among `nested`; each literal is an error.
pub(crate) fn metas(nested: &[NestedMeta], errors: &mut Errors) -> Vec<Meta> {
    let mut items = Vec::new();
    for item in nested {
        match item {
            NestedMeta::Meta(meta) => items.push(meta.clone()),
            NestedMeta::Lit(lit) => {
                errors.push(Error::custom("expected a key, not a literal").with_span(lit));
            }
            NestedMeta::NameValueInvalidExpr(invalid) => errors.push(invalid.error.clone()),
        }
    }
    items
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
    Error::unknown_field_path_with_alts(item.path(), known).with_span(item.path())
}

/// A key that must be there.
pub(crate) fn missing(key: &str, example: &str) -> Error {
    Error::custom(format!("`{key}` is missing: write `{example}`"))
}
