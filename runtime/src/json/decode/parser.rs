//! A cursor over JSON text for decoders.

use std::{borrow::Cow, str::FromStr};

use serde::de::DeserializeOwned;
use serde_json::de::StrRead;

use crate::json::decode::scan::{MAX_DEPTH, Scan};

/// A cursor over JSON text. Each function returns `None` if the next value has another type or form.
pub struct Parser<'a> {
    scan: Scan<'a>,
    /// The number of enclosing objects and lists.
    depth: usize,
    /// Whether the cursor is at the first member or item.
    at_start: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { scan: Scan::new(text), depth: 0, at_start: false }
    }

    pub(super) fn end(&mut self) -> Option<()> {
        self.scan.end()
    }

    /// Starts an object. Read its members with [`key`](Self::key).
    #[inline]
    pub fn object(&mut self) -> Option<()> {
        self.begin(b'{')
    }

    /// Starts a list. Read its items with [`item`](Self::item).
    #[inline]
    pub fn list(&mut self) -> Option<()> {
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
    pub fn key(&mut self) -> Option<Option<&'a str>> {
        if self.has_next(b'}')? {
            return self.scan.key().map(Some);
        }
        Some(None)
    }

    /// Returns whether the list has another item.
    #[inline]
    pub fn item(&mut self) -> Option<bool> {
        self.has_next(b']')
    }

    /// Reads the value of a key that may occur only once.
    #[inline]
    pub fn once<T>(&mut self, slot: &mut Option<T>, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<()> {
        if slot.is_some() {
            return None;
        }
        *slot = Some(read(self)?);
        Some(())
    }

    /// Skips a value.
    pub fn skip(&mut self) -> Option<()> {
        self.value().map(drop)
    }

    fn value(&mut self) -> Option<&'a str> {
        self.scan.value_at(self.depth)
    }

    /// Decodes a value with serde_json.
    pub fn by_serde<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_str(self.value()?).ok()
    }

    /// Decodes a value with a function that uses a deserializer.
    pub fn with<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'a>>) -> serde_json::Result<T>,
    ) -> Option<T> {
        let mut deserializer = serde_json::Deserializer::from_str(self.value()?);
        let value = read(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(value)
    }

    /// Reads a string.
    #[inline]
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        self.scan.text()
    }

    /// Skips `null`, and returns whether it was the next value.
    #[inline]
    pub(super) fn null(&mut self) -> bool {
        self.scan.null()
    }

    pub(super) fn boolean(&mut self) -> Option<bool> {
        self.scan.boolean()
    }

    /// Returns whether the next value is a string.
    pub(super) fn at_text(&mut self) -> bool {
        self.scan.peek() == Some(b'"')
    }

    #[inline]
    pub(super) fn integer<T: FromStr>(&mut self) -> Option<T> {
        let digits = self.scan.integer()?;
        // serde_json reads `-0` as a floating-point number.
        (digits != "-0").then_some(())?;
        digits.parse().ok()
    }

    /// Reads a floating-point number as serde_json does.
    pub(super) fn float<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_str(self.scan.number()?).ok()
    }
}
