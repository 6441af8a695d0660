//! List, map and message literals.

use alloc::{borrow::ToOwned, vec::Vec};

use super::{
    super::{
        ast::{Element, Entry, ExprKind, FieldInit},
        error::Error,
    },
    Nested, Parser,
};

impl Parser<'_> {
    pub(super) fn message(&mut self, dot: &str, length: usize) -> Result<Nested, Error> {
        let parts = &self.tokens[self.next..self.next + length];
        let name = parts.iter().fold(dot.to_owned(), |name, it| name + it.text);
        self.next += length;
        let at = self.expect("{")?;
        let mut fields = Vec::new();
        let mut deepest = 0;
        while !self.is("}") {
            if self.is(",") {
                self.next += 1;
                break;
            }
            let is_optional = self.take("?").is_some();
            let name = self.field_name()?;
            let at = self.expect(":")?;
            let (value, depth) = self.expr()?;
            fields.push(FieldInit { at, name, value, is_optional });
            deepest = deepest.max(depth);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}")?;
        let kind = ExprKind::Struct { name, fields };
        Ok((self.new_expr(at, kind), deepest))
    }

    pub(super) fn list(&mut self, at: usize) -> Result<Nested, Error> {
        self.next += 1;
        let mut elements = Vec::new();
        let mut deepest = 0;
        while !self.is("]") {
            if elements.is_empty() && self.take(",").is_some() {
                break;
            }
            let is_optional = self.take("?").is_some();
            let (value, depth) = self.expr()?;
            elements.push(Element { value, is_optional });
            deepest = deepest.max(depth);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("]")?;
        Ok((self.new_expr(at, ExprKind::List(elements)), deepest))
    }

    pub(super) fn map(&mut self, at: usize) -> Result<Nested, Error> {
        self.next += 1;
        let mut entries = Vec::new();
        let mut deepest = 0;
        while !self.is("}") {
            if entries.is_empty() && self.take(",").is_some() {
                break;
            }
            let is_optional = self.take("?").is_some();
            let (key, key_depth) = self.expr()?;
            self.expect(":")?;
            let (value, depth) = self.expr()?;
            entries.push(Entry { key, value, is_optional });
            deepest = deepest.max(depth).max(key_depth);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}")?;
        Ok((self.new_expr(at, ExprKind::Map(entries)), deepest))
    }
}
