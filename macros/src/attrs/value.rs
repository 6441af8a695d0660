//! Paths, booleans and keys without a value.

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, Meta, Path, spanned::Spanned};

use super::{items, schemars};

/// A path, also one in a string literal.
#[derive(Clone, Debug)]
pub(crate) struct PathValue(pub(crate) Path);

impl FromMeta for PathValue {
    fn from_meta(item: &Meta) -> Result<Self> {
        let expected = || Error::custom(format!("expected `{} = \"path\"`", items::name(item)));
        match item {
            Meta::NameValue(value) => {
                Self::from_expr(&value.value).unwrap_or_else(|| Err(expected().with_span(&value.value)))
            }
            _ => Err(expected().with_span(item)),
        }
    }
}

impl PathValue {
    fn from_expr(expr: &Expr) -> Option<Result<Self>> {
        match expr {
            Expr::Path(path) if path.qself.is_none() => Some(Ok(Self(path.path.clone()))),
            Expr::Group(group) => Self::from_expr(&group.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(
                    text.parse()
                        .map(Self)
                        .map_err(|_| Error::custom(format!("`{}` is not a path", text.value())).with_span(text)),
                ),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A boolean, with the span of its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    pub(crate) value: bool,
    pub(crate) span: Span,
}

impl FromMeta for Flag {
    fn from_meta(item: &Meta) -> Result<Self> {
        let value = match item {
            Meta::Path(_) => true,
            Meta::NameValue(named) => boolean(&named.value).ok_or_else(|| not_a_boolean(item))?,
            Meta::List(_) => return Err(not_a_boolean(item)),
        };
        let span = item.path().span();
        Ok(Self { value, span })
    }
}

/// Whether the value of an item is a string literal.
pub(crate) fn is_quoted(item: &Meta) -> bool {
    match item {
        Meta::NameValue(item) => schemars::string(&item.value).is_some(),
        _ => false,
    }
}

pub(crate) fn not_a_boolean(item: &Meta) -> Error {
    let name = items::name(item);
    let message = Error::custom(format!("`{name}` is a boolean: write `{name}` or `{name} = false`"));
    match item {
        Meta::NameValue(item) => message.with_span(&item.value),
        _ => message.with_span(item),
    }
}

/// A boolean literal. Like kube-derive, also accepts one in a string.
fn boolean(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Bool(value) => Some(value.value),
            Lit::Str(text) => text.value().parse().ok(),
            _ => None,
        },
        Expr::Group(group) => boolean(&group.expr),
        _ => None,
    }
}

/// `key` without a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BareKey;

impl FromMeta for BareKey {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self),
            _ => Err(Error::custom(format!("`{}` takes no value", items::name(item))).with_span(item)),
        }
    }
}
