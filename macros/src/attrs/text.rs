//! Values of attributes: string literals with their spans, paths and flags.

use std::ops::Deref;

use crdkit_core::Violation;
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, Meta, Path, spanned::Spanned};

use super::items;

/// The result of a validation; the error is a message.
pub(crate) type CheckResult<T> = std::result::Result<T, String>;

/// The result of a rule of `crdkit-core`.
pub(crate) fn check_result(result: std::result::Result<(), Violation<'_>>) -> CheckResult<()> {
    result.map_err(|violation| violation.message.to_string())
}

/// A string literal with its span.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    value: String,
    span: Span,
}

impl Text {
    pub(crate) fn new(value: impl Into<String>, span: Span) -> Self {
        Self { value: value.into(), span }
    }

    /// The text, if it passes a check.
    pub(crate) fn checked(self, check: impl FnOnce(&str) -> CheckResult<()>) -> Result<Self> {
        match check(&self) {
            Ok(()) => Ok(self),
            Err(message) => Err(Error::custom(message).with_span(&self.span)),
        }
    }

    /// A string literal, also one that a `macro_rules!` substituted.
    pub(crate) fn literal(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(Self::new(text.value(), text.span())),
                _ => None,
            },
            Expr::Group(group) => Self::literal(&group.expr),
            _ => None,
        }
    }

    pub(crate) fn from_lit(lit: &Lit) -> Option<Self> {
        match lit {
            Lit::Str(text) => Some(Self::new(text.value(), text.span())),
            _ => None,
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.value
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.value
    }
}

impl FromMeta for Text {
    fn from_meta(item: &Meta) -> Result<Self> {
        let expected = || format!("expected `{} = \"...\"`", items::name(item));
        match item {
            Meta::NameValue(value) => {
                Self::literal(&value.value).ok_or_else(|| Error::custom(expected()).with_span(&value.value))
            }
            _ => Err(Error::custom(expected()).with_span(item)),
        }
    }
}

/// A value that is parsed from a string literal.
pub(crate) trait FromText: Sized {
    fn from_text(text: Text) -> Result<Self>;
}

/// Implements `FromMeta` for types that are [`FromText`], from `key = "..."`.
macro_rules! from_text {
    ($($name:ty),*) => {$(
        impl ::darling::FromMeta for $name {
            fn from_meta(item: &::syn::Meta) -> ::darling::Result<Self> {
                let text = <$crate::attrs::text::Text as ::darling::FromMeta>::from_meta(item)?;
                <Self as $crate::attrs::text::FromText>::from_text(text)
            }
        }
    )*};
}
pub(crate) use from_text;

/// Checks that a text is one of the allowed ones.
pub(crate) fn one_of(what: &str, text: &str, allowed: &[&str]) -> CheckResult<()> {
    if allowed.contains(&text) {
        return Ok(());
    }
    Err(format!("`{text}` is not a {what}: expected one of `{}`", allowed.join("`, `")))
}

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
        let name = items::name(item);
        let expected = |span: Span| {
            Error::custom(format!("`{name}` is a boolean: write `{name}` or `{name} = false`")).with_span(&span)
        };
        let value = match item {
            Meta::Path(_) => true,
            Meta::NameValue(item) => boolean(&item.value).ok_or_else(|| expected(item.value.span()))?,
            Meta::List(_) => return Err(expected(item.span())),
        };
        let span = item.path().span();
        Ok(Self { value, span })
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
