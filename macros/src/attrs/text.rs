//! String literals that remember where they stand.

use std::ops::Deref;

use darling::{Error, FromMeta, Result};
use proc_macro2::Span;
use syn::Lit;

/// What a check of a text says: what is wrong, and what to write instead.
pub(crate) type Checked<T> = std::result::Result<T, String>;

/// A string literal.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    value: String,
    span: Span,
}

impl Text {
    pub(crate) fn new(value: impl Into<String>, span: Span) -> Self {
        Self {
            value: value.into(),
            span,
        }
    }

    /// The literal, if `check` finds nothing wrong with it.
    pub(crate) fn checked(lit: &Lit, check: impl FnOnce(&str) -> Checked<()>) -> Result<Self> {
        let text = Self::from_value(lit)?;
        match check(&text) {
            Ok(()) => Ok(text),
            Err(message) => Err(Error::custom(message).with_span(lit)),
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
    fn from_value(lit: &Lit) -> Result<Self> {
        match lit {
            Lit::Str(text) => Ok(Self::new(text.value(), text.span())),
            _ => Err(Error::unexpected_lit_type(lit).with_span(lit)),
        }
    }
}

/// `true` or `false` and where it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    pub(crate) value: bool,
}

impl FromMeta for Flag {
    fn from_word() -> Result<Self> {
        Ok(Self { value: true })
    }

    fn from_bool(value: bool) -> Result<Self> {
        Ok(Self { value })
    }

    fn from_string(value: &str) -> Result<Self> {
        bool::from_string(value).map(|value| Self { value })
    }
}

/// A word of its own: `key`, without a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word;

impl FromMeta for Word {
    fn from_word() -> Result<Self> {
        Ok(Self)
    }
}
