//! Operators and their precedence.

use alloc::{vec, vec::Vec};

use super::{
    super::{
        error::Error,
        lexer::{Kind, Token},
    },
    Entered, Nested, Parser,
};

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Nested, Error> {
        let before = self.entered;
        self.enter(1, 1, 1)?;
        let condition = self.binary(OR)?;
        if !self.is("?") {
            self.entered = before;
            return Ok(condition);
        }
        let expr = self.conditional(condition, before)?;
        self.entered = before;
        Ok(expr)
    }

    /// Parses the branches of a conditional.
    fn conditional(&mut self, condition: Nested, before: Entered) -> Result<Nested, Error> {
        let at = self.expect("?")?;
        let then = self.binary(OR)?;
        self.expect(":")?;
        self.entered.relation = before.relation;
        self.entered.calc = before.calc;
        let other = self.expr()?;
        self.operator(at, "_?_:_", vec![condition, then, other])
    }

    pub(super) fn operator(&mut self, at: usize, function: &str, operands: Vec<Nested>) -> Result<Nested, Error> {
        let depth = self.counted(operands.iter().map(|(_, depth)| *depth))?;
        let args = operands.into_iter().map(|(expr, _)| expr).collect();
        Ok((self.call(at, function, None, args), depth))
    }

    /// Parses operators of at least this precedence.
    fn binary(&mut self, min_precedence: u8) -> Result<Nested, Error> {
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            let Some((function, precedence)) = operator(&token).filter(|it| it.1 >= min_precedence) else {
                return Ok(left);
            };
            left = match precedence {
                OR | AND => self.joined(left, token.text, function, precedence)?,
                _ => self.operated(left, function, precedence)?,
            };
        }
    }

    /// Parses the next operator and its right operand.
    fn operated(&mut self, left: Nested, function: &str, precedence: u8) -> Result<Nested, Error> {
        let at = self.peek().at;
        self.next += 1;
        let before = self.entered;
        self.enter(0, usize::from(precedence == RELATION), 1)?;
        let right = self.binary(precedence + 1)?;
        self.entered = before;
        self.operator(at, function, vec![left, right])
    }

    /// Parses a chain of one logical operator as one call.
    fn joined(&mut self, first: Nested, symbol: &str, function: &str, precedence: u8) -> Result<Nested, Error> {
        let at = self.peek().at;
        let mut terms = vec![first];
        while self.take(symbol).is_some() {
            terms.push(self.binary(precedence + 1)?);
        }
        let depth = terms.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        let args = terms.into_iter().map(|(expr, _)| expr).collect();
        Ok((self.call(at, function, None, args), depth))
    }

    fn unary(&mut self) -> Result<Nested, Error> {
        for (symbol, function) in [("!", "!_"), ("-", "-_")] {
            let start = self.next;
            while self.is(symbol) {
                self.next += 1;
            }
            let count = self.next - start;
            if count == 0 {
                continue;
            }
            let at = self.tokens[start].at;
            if symbol == "-" && count == 1 && matches!(self.peek().kind, Kind::Int | Kind::Float) {
                let literal = self.number(at, "-")?;
                return self.member(literal);
            }
            let primary = self.primary()?;
            let operand = self.member(primary)?;
            if count.is_multiple_of(2) {
                return Ok(operand);
            }
            let (expr, depth) = operand;
            return Ok((self.call(at, function, None, vec![expr]), depth));
        }
        let primary = self.primary()?;
        self.member(primary)
    }
}

// Precedences, in ascending order.
const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;

/// Returns the function of an operator and its precedence.
fn operator(token: &Token<'_>) -> Option<(&'static str, u8)> {
    if token.kind != Kind::Symbol {
        return None;
    }
    Some(match token.text {
        "||" => ("_||_", OR),
        "&&" => ("_&&_", AND),
        "<" => ("_<_", RELATION),
        "<=" => ("_<=_", RELATION),
        ">=" => ("_>=_", RELATION),
        ">" => ("_>_", RELATION),
        "==" => ("_==_", RELATION),
        "!=" => ("_!=_", RELATION),
        "in" => ("@in", RELATION),
        "+" => ("_+_", SUM),
        "-" => ("_-_", SUM),
        "*" => ("_*_", PRODUCT),
        "/" => ("_/_", PRODUCT),
        "%" => ("_%_", PRODUCT),
        _ => return None,
    })
}
