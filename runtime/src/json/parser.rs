//! A cursor over JSON text.

use std::{borrow::Cow, str::FromStr};

use serde::de::DeserializeOwned;

use crate::json::scan::{MAX_DEPTH, Scan};

/// A cursor over JSON text. Each function returns `None` if the next value has another type, or a form that only serde_json reads.
pub(crate) struct Parser<'a> {
    scan: Scan<'a>,
    /// The number of enclosing objects and lists.
    depth: usize,
    /// Whether the cursor is at the first member or item.
    at_start: bool,
    /// Whether values of types that only serde knows are read.
    pub(crate) has_foreign: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { scan: Scan::new(text), depth: 0, at_start: false, has_foreign: true }
    }

    pub(crate) fn end(&mut self) -> Option<()> {
        self.scan.end()
    }

    /// Starts an object. Read its members with [`next_key`](Self::next_key).
    pub(crate) fn begin_object(&mut self) -> Option<()> {
        self.begin(b'{')
    }

    /// Starts a list. Read its items with [`has_item`](Self::has_item).
    pub(crate) fn begin_list(&mut self) -> Option<()> {
        self.begin(b'[')
    }

    #[inline]
    fn begin(&mut self, byte: u8) -> Option<()> {
        self.scan.expect(byte)?;
        self.depth += 1;
        self.at_start = true;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// Returns whether there is another member or item before the closing `byte`.
    #[inline]
    fn has_next(&mut self, byte: u8) -> Option<bool> {
        if std::mem::take(&mut self.at_start) {
            if !self.scan.eat(byte) {
                return Some(true);
            }
        } else if self.scan.eat(b',') {
            return Some(true);
        } else {
            self.scan.expect(byte)?;
        }
        self.depth -= 1;
        Some(false)
    }

    /// Returns the key of the next member and moves to its value; `Some(None)` at the end of the object.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Option<Option<&'a str>> {
        if self.has_next(b'}')? {
            return self.scan.key().map(Some);
        }
        Some(None)
    }

    /// Returns whether the list has another item.
    #[inline]
    pub(crate) fn has_item(&mut self) -> Option<bool> {
        self.has_next(b']')
    }

    /// Skips a value, and returns its text.
    pub(crate) fn skip(&mut self) -> Option<&'a str> {
        self.scan.value_at(self.depth)
    }

    /// Decodes a value with serde_json.
    pub(crate) fn deserialize<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_str(self.skip()?).ok()
    }

    /// Reads a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Option<Cow<'a, str>> {
        self.scan.text()
    }

    /// Returns whether the next value is a string.
    pub(crate) fn at_string(&mut self) -> bool {
        self.scan.peek() == Some(b'"')
    }

    /// Returns whether the next value is null.
    pub(crate) fn at_null(&mut self) -> bool {
        self.scan.peek() == Some(b'n')
    }

    /// Skips `null`, and returns whether it was the next value.
    #[inline]
    pub(crate) fn null(&mut self) -> bool {
        self.scan.null()
    }

    pub(crate) fn bool(&mut self) -> Option<bool> {
        self.scan.boolean()
    }

    #[inline]
    pub(crate) fn integer<T: FromStr>(&mut self) -> Option<T> {
        let digits = self.scan.integer()?;
        // serde_json reads `-0` as a floating-point number.
        (digits != "-0").then_some(())?;
        digits.parse().ok()
    }

    /// Reads a floating-point number as serde_json does.
    pub(crate) fn float<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_str(self.scan.number()?).ok()
    }
}
