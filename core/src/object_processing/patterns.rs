//! Compiled patterns.

use alloc::{format, string::String};
use core::cell::RefCell;

use crate::literal::regex::Matchers;

/// A cache of compiled patterns.
#[derive(Debug, Default)]
pub struct Patterns {
    matchers: RefCell<Matchers>,
}

impl Patterns {
    /// Returns the pattern, as the server writes it, if the text does not match; for an invalid pattern with the reason.
    pub(super) fn mismatch(&self, pattern: &str, text: &str) -> Option<String> {
        match self.matchers.borrow_mut().of(pattern) {
            Ok(matcher) if matcher.is_match(text) => None,
            Ok(_) => Some(pattern.into()),
            Err(error) => Some(format!("{pattern}, but pattern is invalid: {error}")),
        }
    }
}
