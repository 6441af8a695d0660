//! Walks whose members and items are told as they come.

use super::{Scan, block};

impl<'a> Scan<'a> {
    /// Where what comes next begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Passes over an object. `member` is told each key and passes over its value.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
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

    /// Passes over a list. `item` passes over each item.
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

    /// Passes over a value, which is valid JSON for itself.
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        self.value_at(0)
    }

    /// Passes over a value and does not look into it: an object or a list only has as many ends as beginnings.
    pub(crate) fn skip(&mut self) -> Option<&'a str> {
        match self.peek()? {
            b'{' | b'[' => self.pass(block::container_end),
            _ => self.value(),
        }
    }
}
