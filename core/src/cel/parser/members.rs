//! Member access: fields, calls and indices.

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec, vec::Vec};

use super::{
    super::{
        ast::{Expr, ExprKind, Literal},
        error::Error,
        lexer::Kind,
        macros,
    },
    Nested, Parser,
};

impl Parser<'_> {
    /// Parses fields, calls and indices after a value.
    pub(super) fn member(&mut self, mut value: Nested) -> Result<Nested, Error> {
        loop {
            if let Some(at) = self.take(".") {
                value = self.field(at, value)?;
            } else if let Some(at) = self.take("[") {
                let is_optional = self.take("?").is_some();
                let index = self.expr()?;
                self.expect("]")?;
                let function = if is_optional { "_[?_]" } else { "_[_]" };
                value = self.operator(at, function, vec![value, index])?;
            } else {
                return Ok(value);
            }
        }
    }

    fn field(&mut self, at: usize, (operand, depth): Nested) -> Result<Nested, Error> {
        let is_optional = self.take("?").is_some();
        let token = self.peek();
        let name = self.field_name()?;
        let depth = self.counted([depth])?;
        if is_optional {
            let name = self.new_expr(token.at, ExprKind::Literal(Literal::String(name)));
            return Ok((self.call(at, "_?._", None, vec![operand, name]), depth));
        }
        let open = match token.kind {
            Kind::Escaped => None,
            _ => self.take("("),
        };
        let Some(open) = open else {
            let kind = ExprKind::Select { operand: Box::new(operand), field: name, is_test: false };
            return Ok((self.new_expr(at, kind), depth));
        };
        let (args, deepest) = self.args()?;
        let depth = depth.max(self.counted([deepest])?);
        let expanded = macros::expand_member(self, open, &name, &operand, &args);
        let expr = match expanded {
            Ok(Some(expanded)) => expanded,
            Ok(None) => self.call(open, &name, Some(operand), args),
            Err(error) => self.report(error),
        };
        Ok((expr, depth))
    }

    pub(super) fn field_name(&mut self) -> Result<String, Error> {
        let token = self.peek();
        match token.kind {
            Kind::Identifier => {
                self.next += 1;
                Ok(token.text.to_owned())
            }
            Kind::Escaped => {
                self.next += 1;
                Ok(token.text.trim_matches('`').to_owned())
            }
            _ => Err(self.no_name()),
        }
    }

    /// Parses arguments up to the closing parenthesis. Returns them and the depth of the deepest one.
    pub(super) fn args(&mut self) -> Result<(Vec<Expr>, usize), Error> {
        let mut args = Vec::new();
        let mut deepest = 0;
        if self.take(")").is_some() {
            return Ok((args, deepest));
        }
        loop {
            let (arg, depth) = self.expr()?;
            args.push(arg);
            deepest = deepest.max(depth);
            if self.take(",").is_none() {
                self.expect(")")?;
                return Ok((args, deepest));
            }
        }
    }
}
