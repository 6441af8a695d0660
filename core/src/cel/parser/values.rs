//! Literals, names and parenthesized expressions.

use alloc::format;

use crate::literal::cel::RESERVED;

use super::{
    super::{
        ast::{Expr, ExprKind, Literal},
        error::Error,
        lexer::{Kind, Token},
        macros, unescape,
    },
    Nested, Parser,
};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Nested, Error> {
        let token = self.peek();
        match token.kind {
            Kind::Int | Kind::Uint | Kind::Float => self.number(token.at, ""),
            Kind::String | Kind::Bytes => self.text(token),
            Kind::Identifier => self.name(""),
            Kind::Symbol => self.symbol(token),
            Kind::Escaped | Kind::End => Err(self.no_operand()),
        }
    }

    fn no_operand(&self) -> Error {
        let expected = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, \
                        NUM_UINT, STRING, BYTES, IDENTIFIER}";
        let next = self.tokens.get(self.next + 1);
        let how = if next.is_some_and(Token::begins_operand) { "extraneous input" } else { "mismatched input" };
        self.unexpected(how, expected)
    }

    /// Returns the error about a missing name after a dot.
    pub(super) fn no_name(&self) -> Error {
        let token = self.peek();
        match token.kind {
            Kind::End => self.unexpected("mismatched input", "IDENTIFIER"),
            _ => Error::new(token.at, format!("Syntax error: no viable alternative at input '.{}'", token.text)),
        }
    }

    /// Returns the error about a minus after another operator without a number.
    fn not_negated(&self) -> Error {
        let token = self.peek();
        let text = token.shown();
        let message = format!("Syntax error: no viable alternative at input '-{text}'");
        Error::new(token.at, message)
    }

    fn symbol(&mut self, token: Token<'_>) -> Result<Nested, Error> {
        let literal = match token.text {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" => Literal::Null,
            "(" => {
                self.next += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(inner);
            }
            "-" if matches!(self.tokens[self.next + 1].kind, Kind::Int | Kind::Float) => {
                self.next += 1;
                return self.number(token.at, "-");
            }
            "-" => {
                self.next += 1;
                return Err(self.not_negated());
            }
            "[" => return self.list(token.at),
            "{" => return self.map(token.at),
            "." => {
                self.next += 1;
                if self.peek().kind != Kind::Identifier {
                    return Err(self.no_name());
                }
                return self.name(".");
            }
            _ => return Err(self.no_operand()),
        };
        self.next += 1;
        Ok((self.new_expr(token.at, ExprKind::Literal(literal)), 0))
    }

    /// Parses a variable, a function call, or a message literal.
    fn name(&mut self, dot: &str) -> Result<Nested, Error> {
        let token = self.peek();
        if let Some(length) = self.message_name() {
            return self.message(dot, length);
        }
        self.next += 1;
        if RESERVED.contains(&token.text) {
            return self.reserved(token.at - dot.len(), token.text);
        }
        let name = format!("{dot}{}", token.text);
        let Some(open) = self.take("(") else {
            return Ok((self.new_expr(token.at, ExprKind::Ident(name)), 0));
        };
        let (args, depth) = self.args()?;
        let expanded = macros::expand(self, open, &name, &args);
        let expr = match expanded {
            Ok(Some(expanded)) => expanded,
            Ok(None) => self.call(open, &name, None, args),
            Err(error) => self.report(error),
        };
        Ok((expr, depth))
    }

    /// Reports a reserved name. The server ignores what is wrong with the arguments of its call, except their syntax.
    fn reserved(&mut self, at: usize, name: &str) -> Result<Nested, Error> {
        if self.take("(").is_some() {
            let before = self.errors.len();
            self.args()?;
            self.errors.truncate(before);
        }
        Ok((self.report(Error::new(at, format!("reserved identifier: {name}"))), 0))
    }

    /// Returns the number of tokens of a message name, if a message literal starts here.
    fn message_name(&self) -> Option<usize> {
        let mut at = self.next + 1;
        loop {
            let token = self.tokens.get(at)?;
            match token.text {
                "{" if token.kind == Kind::Symbol => return Some(at - self.next),
                "." if self.tokens.get(at + 1)?.kind == Kind::Identifier => at += 2,
                _ => return None,
            }
        }
    }

    pub(super) fn number(&mut self, at: usize, sign: &str) -> Result<Nested, Error> {
        let token = self.peek();
        self.next += 1;
        let text = token.text;
        let literal = match token.kind {
            Kind::Uint => unsigned(&text[..text.len() - 1]).map(Literal::Uint).ok_or("invalid uint literal"),
            Kind::Int => signed(sign, text).map(Literal::Int).ok_or("invalid int literal"),
            _ => format!("{sign}{text}")
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .map(Literal::Double)
                .ok_or("invalid double literal"),
        };
        Ok((self.literal(at, literal), 0))
    }

    fn literal(&mut self, at: usize, literal: Result<Literal, &str>) -> Expr {
        match literal {
            Ok(literal) => self.new_expr(at, ExprKind::Literal(literal)),
            Err(message) => self.report(Error::new(at, message)),
        }
    }

    fn text(&mut self, token: Token<'_>) -> Result<Nested, Error> {
        self.next += 1;
        let literal = match token.kind {
            Kind::Bytes => unescape::bytes(&token.text[1..]).map(Literal::Bytes),
            _ => unescape::string(token.text).map(Literal::String),
        };
        Ok((self.literal(token.at, literal), 0))
    }
}
fn unsigned(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn signed(sign: &str, text: &str) -> Option<i64> {
    let value = i128::from(unsigned(text)?);
    i64::try_from(if sign.is_empty() { value } else { -value }).ok()
}
