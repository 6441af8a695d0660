//! Scans JSON without decoding it.
//!
//! A scan returns `None` for any input that it does not support. The caller then reads the text with serde, which
//! returns the value or the error.

#[cfg(feature = "client")]
mod block;
mod strict;
mod string;
mod vector;
#[cfg(feature = "client")]
mod walk;

use std::borrow::Cow;

pub(crate) use strict::MAX_DEPTH;

/// A position in JSON text.
pub(crate) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the remaining text.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the next byte after any spaces.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let next = *self.text.as_bytes().get(self.at)?;
        if next > b' ' {
            return Some(next);
        }
        self.peek_behind_spaces()
    }

    /// A separate function, because the API server writes no spaces.
    #[cold]
    fn peek_behind_spaces(&mut self) -> Option<u8> {
        self.at = spaces_end(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips `byte` if it is next, and returns whether it was.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Expects the end of the text.
    pub(crate) fn end(&mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    /// Skips a key without escapes, and its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        let (end, plain) = string::string_end(self.text.as_bytes(), start)?;
        self.at = end + 1;
        self.expect(b':')?;
        plain.then(|| &self.text[start..end])
    }

    /// Skips a string.
    #[inline]
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let start = self.at;
        let (end, plain) = string::string_end(self.text.as_bytes(), start)?;
        self.at = end + 1;
        if plain {
            return Some(Cow::Borrowed(&self.text[start..end]));
        }
        let quoted = &self.text[start - 1..=end];
        serde_json::from_str(quoted).ok().map(Cow::Owned)
    }

    /// Skips `null` if it is next, and returns whether it was.
    pub(crate) fn null(&mut self) -> bool {
        let null = self.peek() == Some(b'n') && self.rest().starts_with("null");
        self.at += if null { "null".len() } else { 0 };
        null
    }

    /// Skips a value inside of `depth` objects and lists, which count towards the depth limit.
    pub(crate) fn value_at(&mut self, depth: usize) -> Option<&'a str> {
        self.pass(|bytes, at| strict::value_end(bytes, at, depth))
    }

    /// Skips a number.
    pub(crate) fn number(&mut self) -> Option<&'a str> {
        self.pass(strict::number_end)
    }

    /// Skips a number without a fraction or an exponent.
    #[inline]
    pub(crate) fn integer(&mut self) -> Option<&'a str> {
        self.pass(strict::integer_end)
    }

    /// Skips `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Option<bool> {
        self.peek()?;
        let value = self.rest().starts_with("true");
        let literal = if value { "true" } else { "false" };
        self.rest().starts_with(literal).then_some(())?;
        self.at += literal.len();
        Some(value)
    }

    #[inline]
    fn pass(&mut self, end: impl FnOnce(&[u8], usize) -> Option<usize>) -> Option<&'a str> {
        self.peek()?;
        let start = self.at;
        self.at = end(self.text.as_bytes(), start)?;
        Some(&self.text[start..self.at])
    }
}

/// Returns the end of the spaces that start at `at`. The API server writes none.
#[inline]
fn spaces_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(0..=b' ') => some_spaces_end(bytes, at),
        _ => at,
    }
}

#[cold]
fn some_spaces_end(bytes: &[u8], at: usize) -> usize {
    let spaces = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
    at + spaces.count()
}
