//! String literals with their spans.

use std::ops::Deref;

use crdkit_core::Violation;
use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, Meta};

use super::items;

/// The result of a validation; the error is a message.
pub(crate) type CheckResult<T> = std::result::Result<T, String>;

/// Converts the result of a rule of `crdkit-core`.
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
