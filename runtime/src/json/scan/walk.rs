//! Walks over objects and lists with a callback per member or item.

use crate::json::scan::{Scan, block};

impl<'a> Scan<'a> {
    /// Returns the index of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Skips an object. Calls `member` with each key; it must skip the value.
    #[inline]
    pub(crate) fn object(&mut self, mut member: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        if self.eat(b'}') {
            return Some(());
        }
        loop {
            let key = self.key()?;
            member(self, key)?;
            if !self.eat(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// Skips a list. Calls `item` for each item, which it must skip.
    #[inline]
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.eat(b']') {
            return Some(());
        }
        loop {
            item(self)?;
            if !self.eat(b',') {
                return self.expect(b']');
            }
        }
    }

    /// Skips a value and validates it.
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        self.value_at(0)
    }

    /// Skips a value without validation: for an object or a list, only brackets are counted.
    pub(crate) fn skip(&mut self) -> Option<&'a str> {
        match self.peek()? {
            b'{' | b'[' => self.pass(block::container_end),
            _ => self.value(),
        }
    }
}
