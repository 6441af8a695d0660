//! Compiled patterns.

use alloc::{collections::BTreeMap, format, string::String};
use core::cell::RefCell;

use crate::literal::regex::{self, Matcher};

/// A cache of compiled patterns.
#[derive(Debug, Default)]
pub struct Patterns {
    read: RefCell<BTreeMap<String, Result<Matcher, String>>>,
}

impl Patterns {
    /// Returns the pattern, as the server writes it, if the text does not match; for an invalid pattern with the reason.
    pub(super) fn mismatch(&self, pattern: &str, text: &str) -> Option<String> {
        let mut read = self.read.borrow_mut();
        if !read.contains_key(pattern) {
            let matcher = regex::parse(pattern).map(|ast| ast.matcher());
            let matcher = matcher.map_err(|error| format!("{}", error.go()));
            read.insert(pattern.into(), matcher);
        }
        match &read[pattern] {
            Ok(matcher) if matcher.is_match(text) => None,
            Ok(_) => Some(pattern.into()),
            Err(error) => Some(format!("{pattern}, but pattern is invalid: {error}")),
        }
    }
}
