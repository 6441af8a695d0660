//! The parser, which also expands macros.

use alloc::{borrow::ToOwned, boxed::Box, format, vec, vec::Vec};

use super::{
    ast::{Expr, ExprKind, Literal},
    error::Error,
    lexer::{Kind, Token, lex},
};

mod aggregates;
mod members;
mod operators;
mod values;

/// The maximum number of characters of an expression, in cel-go by default.
const MAX_LENGTH: usize = 100_000;

/// The maximum depth of an expression, in cel-go by default.
const MAX_DEPTH: usize = 250;

/// The maximum number of copied expressions. A macro on the result of a macro doubles the number, and the server takes a minute
/// for a fifth of this limit.
const MAX_EXPRS: usize = 200_000;

/// A parsed expression, and the number of ids.
pub(super) struct Parsed {
    pub(super) expr: Expr,
    pub(super) ids: usize,
}

/// Parses an expression.
pub(super) fn parse(source: &str) -> Result<Parsed, Vec<Error>> {
    let length = source.chars().count();
    if length > MAX_LENGTH {
        return Err(vec![Error::new(
            0,
            format!("expression code point size exceeds limit: size: {length}, limit {MAX_LENGTH}"),
        )]);
    }
    let (tokens, mut errors) = lex(source);
    let mut parser = Parser { tokens: &tokens, next: 0, ids: 0, entered: Entered::default(), errors: Vec::new() };
    let parsed = parser.all();
    errors.append(&mut parser.errors);
    match parsed {
        Ok(expr) if errors.is_empty() => Ok(Parsed { expr, ids: parser.ids }),
        Ok(_) => Err(errors),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

/// An expression and its depth.
type Nested = (Expr, usize);

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    ids: usize,
    entered: Entered,
    /// Errors after which parsing goes on.
    errors: Vec<Error>,
}

/// The number of open rules of the grammar, each of which is limited to 250.
#[derive(Clone, Copy, Default)]
struct Entered {
    expr: usize,
    relation: usize,
    calc: usize,
}

impl<'a> Parser<'a> {
    /// Parses an expression up to the end.
    fn all(&mut self) -> Result<Expr, Error> {
        let (expr, _) = self.expr()?;
        if self.peek().kind == Kind::End {
            return Ok(expr);
        }
        let is_last = self.tokens[self.next + 1].kind == Kind::End;
        let how = if is_last { "extraneous input" } else { "mismatched input" };
        Err(self.unexpected(how, "<EOF>"))
    }

    pub(super) fn new_expr(&mut self, at: usize, kind: ExprKind) -> Expr {
        self.ids += 1;
        Expr { id: self.ids - 1, at, kind }
    }

    /// Reports an error that is no syntax error, and returns a value that no macro accepts in place of the wrong one.
    fn report(&mut self, error: Error) -> Expr {
        let at = error.at;
        self.errors.push(error);
        self.new_expr(at, ExprKind::Literal(Literal::Null))
    }

    /// Copies an expression with new ids.
    pub(super) fn copy(&mut self, expr: &Expr) -> Result<Expr, Error> {
        if self.ids > MAX_EXPRS {
            let message = "the macros of the expression expand to more expressions than the server \
                           evaluates in time";
            return Err(Error::new(expr.at, message));
        }
        let mut copy = expr.clone();
        self.renumber(&mut copy);
        Ok(copy)
    }

    fn renumber(&mut self, expr: &mut Expr) {
        expr.id = self.ids;
        self.ids += 1;
        for child in expr.children_mut() {
            self.renumber(child);
        }
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    fn is(&self, symbol: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Symbol && token.text == symbol
    }

    /// Consumes the symbol, if it is next.
    fn take(&mut self, symbol: &str) -> Option<usize> {
        let at = self.peek().at;
        self.is(symbol).then(|| {
            self.next += 1;
            at
        })
    }

    fn expect(&mut self, symbol: &str) -> Result<usize, Error> {
        match self.take(symbol) {
            Some(at) => Ok(at),
            None if matches!(symbol, ")" | ":") => Err(self.missing(symbol)),
            None => Err(self.unexpected("mismatched input", &format!("'{symbol}'"))),
        }
    }

    fn unexpected(&self, how: &str, expected: &str) -> Error {
        let token = self.peek();
        let text = token.shown();
        Error::new(token.at, format!("Syntax error: {how} '{text}' expecting {expected}"))
    }

    fn missing(&self, symbol: &str) -> Error {
        let token = self.peek();
        let text = token.shown();
        Error::new(token.at, format!("Syntax error: missing '{symbol}' at '{text}'"))
    }

    pub(super) fn call(&mut self, at: usize, function: &str, target: Option<Expr>, args: Vec<Expr>) -> Expr {
        let kind = ExprKind::Call { function: function.to_owned(), target: target.map(Box::new), args };
        self.new_expr(at, kind)
    }

    /// Enters rules of the grammar; the caller leaves them.
    fn enter(&mut self, exprs: usize, relations: usize, calcs: usize) -> Result<(), Error> {
        let entered = &mut self.entered;
        entered.expr += exprs;
        entered.relation += relations;
        entered.calc += calcs;
        if entered.expr.max(entered.relation).max(entered.calc) > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> Error {
        let message = format!("expression recursion limit exceeded: {MAX_DEPTH}");
        Error::new(self.peek().at, message)
    }

    /// Counts one more level of depth.
    fn counted(&self, depths: impl IntoIterator<Item = usize>) -> Result<usize, Error> {
        let depth = depths.into_iter().max().unwrap_or(0) + 1;
        if depth > MAX_DEPTH { Err(Error::new(self.peek().at, "max recursion depth exceeded")) } else { Ok(depth) }
    }
}

#[cfg(test)]
mod tests;
