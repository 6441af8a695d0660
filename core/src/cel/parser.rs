//! The parser: from a text to an expression without macros.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec, vec::Vec};

use crate::literal::cel::RESERVED;

use super::{
    ast::{Element, Entry, Expr, ExprKind, Field, Literal},
    error::Error,
    lexer::{Kind, Token, lex},
    macros, unescape,
};

/// How many characters an expression may have.
const MAX_LENGTH: usize = 100_000;

/// How deep an expression may be.
const MAX_DEPTH: usize = 250;

/// An expression, and how many numbers its parts have.
pub(super) struct Parsed {
    pub(super) expr: Expr,
    pub(super) ids: usize,
}

/// Parses a text.
pub(super) fn parse(source: &str) -> Result<Parsed, Vec<Error>> {
    let length = source.chars().count();
    if length > MAX_LENGTH {
        return Err(vec![Error::new(
            0,
            format!("expression code point size exceeds limit: size: {length}, limit {MAX_LENGTH}"),
        )]);
    }
    let (tokens, mut errors) = lex(source);
    let mut parser = Parser {
        tokens: &tokens,
        next: 0,
        ids: 0,
        entered: Entered::default(),
    };
    match parser.all() {
        Ok(expr) if errors.is_empty() => Ok(Parsed {
            expr,
            ids: parser.ids,
        }),
        Ok(_) => Err(errors),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

/// An expression, and how deep its parts that count are within one another.
type Nested = (Expr, usize);

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    ids: usize,
    entered: Entered,
}

/// How many rules of the grammar are open; of each there may be 250.
#[derive(Clone, Copy, Default)]
struct Entered {
    expr: usize,
    relation: usize,
    calc: usize,
}

impl<'a> Parser<'a> {
    /// An expression up to the end.
    fn all(&mut self) -> Result<Expr, Error> {
        let (expr, _) = self.expr()?;
        if self.peek().kind == Kind::End {
            return Ok(expr);
        }
        let is_last = self.tokens[self.next + 1].kind == Kind::End;
        let how = match is_last {
            true => "extraneous input",
            false => "mismatched input",
        };
        Err(self.unexpected(how, "<EOF>"))
    }

    pub(super) fn new_expr(&mut self, at: usize, kind: ExprKind) -> Expr {
        self.ids += 1;
        Expr {
            id: self.ids - 1,
            at,
            kind,
        }
    }

    /// The same expression again, under other numbers.
    pub(super) fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.renumber(&mut copy);
        copy
    }

    fn renumber(&mut self, expr: &mut Expr) {
        expr.id = self.ids;
        self.ids += 1;
        let mut children: Vec<&mut Expr> = Vec::new();
        match &mut expr.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => children.push(operand),
            ExprKind::Call { target, args, .. } => {
                children.extend(target.as_deref_mut());
                children.extend(args);
            }
            ExprKind::List(elements) => {
                children.extend(elements.iter_mut().map(|it| &mut it.value))
            }
            ExprKind::Map(entries) => {
                children.extend(
                    entries
                        .iter_mut()
                        .flat_map(|it| [&mut it.key, &mut it.value]),
                );
            }
            ExprKind::Struct { fields, .. } => {
                children.extend(fields.iter_mut().map(|it| &mut it.value));
            }
            ExprKind::Comprehension(it) => {
                let it = &mut **it;
                children.extend([
                    &mut it.range,
                    &mut it.init,
                    &mut it.condition,
                    &mut it.step,
                    &mut it.result,
                ]);
            }
        }
        for child in children {
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

    /// Takes the symbol, if it is next.
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
        Error::new(
            token.at,
            format!("Syntax error: {how} '{text}' expecting {expected}"),
        )
    }

    fn missing(&self, symbol: &str) -> Error {
        let token = self.peek();
        let text = token.shown();
        Error::new(
            token.at,
            format!("Syntax error: missing '{symbol}' at '{text}'"),
        )
    }

    fn expr(&mut self) -> Result<Nested, Error> {
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

    /// What follows a condition.
    fn conditional(&mut self, condition: Nested, before: Entered) -> Result<Nested, Error> {
        let at = self.expect("?")?;
        let then = self.binary(OR)?;
        self.expect(":")?;
        self.entered.relation = before.relation;
        self.entered.calc = before.calc;
        let other = self.expr()?;
        self.operator(at, "_?_:_", vec![condition, then, other])
    }

    /// Opens rules of the grammar, which the caller closes.
    fn enter(&mut self, exprs: usize, relations: usize, calcs: usize) -> Result<(), Error> {
        let entered = &mut self.entered;
        entered.expr += exprs;
        entered.relation += relations;
        entered.calc += calcs;
        match entered.expr.max(entered.relation).max(entered.calc) > MAX_DEPTH {
            true => Err(self.too_deep()),
            false => Ok(()),
        }
    }

    fn too_deep(&self) -> Error {
        let message = format!("expression recursion limit exceeded: {MAX_DEPTH}");
        Error::new(self.peek().at, message)
    }

    /// An operator or another part that counts for the depth.
    fn counted(&self, depths: impl IntoIterator<Item = usize>) -> Result<usize, Error> {
        let depth = depths.into_iter().max().unwrap_or(0) + 1;
        match depth > MAX_DEPTH {
            true => Err(Error::new(self.peek().at, "max recursion depth exceeded")),
            false => Ok(depth),
        }
    }

    fn operator(
        &mut self,
        at: usize,
        function: &str,
        operands: Vec<Nested>,
    ) -> Result<Nested, Error> {
        let depth = self.counted(operands.iter().map(|(_, depth)| *depth))?;
        let args = operands.into_iter().map(|(expr, _)| expr).collect();
        Ok((self.call(at, function, None, args), depth))
    }

    pub(super) fn call(
        &mut self,
        at: usize,
        function: &str,
        target: Option<Expr>,
        args: Vec<Expr>,
    ) -> Expr {
        let kind = ExprKind::Call {
            function: function.to_owned(),
            target: target.map(Box::new),
            args,
        };
        self.new_expr(at, kind)
    }

    /// Operators that bind at least as strongly.
    fn binary(&mut self, least: u8) -> Result<Nested, Error> {
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            let Some((function, strength)) = operator(&token).filter(|it| it.1 >= least) else {
                return Ok(left);
            };
            left = match strength {
                OR | AND => self.joined(left, token.text, function, strength)?,
                _ => self.operated(left, function, strength)?,
            };
        }
    }

    /// A value, the operator that is next, and its other operand.
    fn operated(&mut self, left: Nested, function: &str, strength: u8) -> Result<Nested, Error> {
        let at = self.peek().at;
        self.next += 1;
        let before = self.entered;
        self.enter(0, usize::from(strength == RELATION), 1)?;
        let right = self.binary(strength + 1)?;
        self.entered = before;
        self.operator(at, function, vec![left, right])
    }

    /// Terms that are joined by one operator, as one call.
    fn joined(
        &mut self,
        first: Nested,
        symbol: &str,
        function: &str,
        strength: u8,
    ) -> Result<Nested, Error> {
        let at = self.peek().at;
        let mut terms = vec![first];
        while self.take(symbol).is_some() {
            terms.push(self.binary(strength + 1)?);
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

    /// What follows a value: fields, calls and indices.
    fn member(&mut self, mut value: Nested) -> Result<Nested, Error> {
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
            let kind = ExprKind::Select {
                operand: Box::new(operand),
                field: name,
                is_test: false,
            };
            return Ok((self.new_expr(at, kind), depth));
        };
        let (args, deepest) = self.args()?;
        let depth = depth.max(self.counted([deepest])?);
        let expr = match macros::expand_member(self, open, &name, &operand, &args)? {
            Some(expanded) => expanded,
            None => self.call(open, &name, Some(operand), args),
        };
        Ok((expr, depth))
    }

    fn field_name(&mut self) -> Result<String, Error> {
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

    /// Arguments up to the bracket that closes them, and the depth of the deepest.
    fn args(&mut self) -> Result<(Vec<Expr>, usize), Error> {
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

    fn primary(&mut self) -> Result<Nested, Error> {
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
        let how = match next.is_some_and(Token::begins_operand) {
            true => "extraneous input",
            false => "mismatched input",
        };
        self.unexpected(how, expected)
    }

    /// No name stands behind a dot.
    fn no_name(&self) -> Error {
        let token = self.peek();
        match token.kind {
            Kind::End => self.unexpected("mismatched input", "IDENTIFIER"),
            _ => Error::new(
                token.at,
                format!(
                    "Syntax error: no viable alternative at input '.{}'",
                    token.text
                ),
            ),
        }
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

    /// A variable, a call of a function, or a message.
    fn name(&mut self, dot: &str) -> Result<Nested, Error> {
        let token = self.peek();
        if let Some(length) = self.message_name() {
            return self.message(dot, length);
        }
        self.next += 1;
        if RESERVED.contains(&token.text) {
            let message = format!("reserved identifier: {}", token.text);
            return Err(Error::new(token.at - dot.len(), message));
        }
        let name = format!("{dot}{}", token.text);
        let Some(open) = self.take("(") else {
            return Ok((self.new_expr(token.at, ExprKind::Ident(name)), 0));
        };
        let (args, depth) = self.args()?;
        let expr = match macros::expand(self, open, &name, &args)? {
            Some(expanded) => expanded,
            None => self.call(open, &name, None, args),
        };
        Ok((expr, depth))
    }

    /// How many tokens the name of a message has, if one begins here.
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

    fn message(&mut self, dot: &str, length: usize) -> Result<Nested, Error> {
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
            self.take("?");
            self.field_name()?;
            self.expect(":")?;
            let (value, depth) = self.expr()?;
            fields.push(Field { value });
            deepest = deepest.max(depth);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}")?;
        let kind = ExprKind::Struct { name, fields };
        Ok((self.new_expr(at, kind), deepest))
    }

    fn list(&mut self, at: usize) -> Result<Nested, Error> {
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

    fn map(&mut self, at: usize) -> Result<Nested, Error> {
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
            entries.push(Entry {
                key,
                value,
                is_optional,
            });
            deepest = deepest.max(depth).max(key_depth);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}")?;
        Ok((self.new_expr(at, ExprKind::Map(entries)), deepest))
    }

    fn number(&mut self, at: usize, sign: &str) -> Result<Nested, Error> {
        let token = self.peek();
        self.next += 1;
        let text = token.text;
        let literal = match token.kind {
            Kind::Uint => unsigned(&text[..text.len() - 1])
                .map(Literal::Uint)
                .ok_or("invalid uint literal"),
            Kind::Int => signed(sign, text)
                .map(Literal::Int)
                .ok_or("invalid int literal"),
            _ => format!("{sign}{text}")
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .map(Literal::Double)
                .ok_or("invalid double literal"),
        };
        let literal = literal.map_err(|message| Error::new(at, message))?;
        Ok((self.new_expr(at, ExprKind::Literal(literal)), 0))
    }

    fn text(&mut self, token: Token<'_>) -> Result<Nested, Error> {
        self.next += 1;
        let literal = match token.kind {
            Kind::Bytes => unescape::bytes(&token.text[1..]).map(Literal::Bytes),
            _ => unescape::string(token.text).map(Literal::String),
        };
        let literal = literal.map_err(|message| Error::new(token.at, message))?;
        Ok((self.new_expr(token.at, ExprKind::Literal(literal)), 0))
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

const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;

/// The function of an operator, and how strongly it binds.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        match parse(source) {
            Ok(_) => String::new(),
            Err(errors) => format!("{}: {}", errors[0].at, errors[0].message),
        }
    }

    #[test]
    fn expressions() {
        for source in [
            "self.a == oldSelf.a",
            "self.?a.orValue(1) > 0 && self.list[?0].hasValue() && {?'a': self.?a} == {}",
            "!!a || --b - -1 > -(-2) || !-1",
            "a ? b : c ? d : e",
            "[1, ?a,] == [,] && {,} == {'a': 1,} && Foo.Bar{a: 1, ?b: 2,} == Foo{}",
            "-9223372036854775808 < 18446744073709551615u && -0x1F > .5e1",
            "self.namespace.if.f(x)",
            ".a.b(.c)",
            "a in b in c",
        ] {
            assert_eq!(error(source), "", "{source}");
        }
    }

    #[test]
    fn mistakes() {
        for (source, at) in [
            ("", "0: Syntax error: mismatched input '<EOF>'"),
            ("a &&", "4: Syntax error: mismatched input '<EOF>'"),
            ("a > > 1", "4: Syntax error: extraneous input '>'"),
            ("(a", "2: Syntax error: missing ')' at '<EOF>'"),
            (
                "a b",
                "2: Syntax error: extraneous input 'b' expecting <EOF>",
            ),
            ("if", "0: reserved identifier: if"),
            (
                "a.in",
                "2: Syntax error: no viable alternative at input '.in'",
            ),
            ("a.`b`(1)", "5: Syntax error: mismatched input '('"),
            ("9223372036854775808", "0: invalid int literal"),
            ("-18446744073709551616u", "1: invalid uint literal"),
            ("1e999", "0: invalid double literal"),
            ("-!a", "1: Syntax error"),
            ("a?.b", "4: Syntax error"),
            ("has(a)", "4: invalid argument to has() macro"),
            ("f(a,)", "4: Syntax error"),
            ("'\\ud800'", "0: invalid unicode code point"),
        ] {
            assert!(error(source).starts_with(at), "{source}: {}", error(source));
        }
    }

    #[test]
    fn depth() {
        let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
        assert_eq!(error(&nested(249)), "");
        assert!(error(&nested(250)).contains("recursion limit"));
        let fields = |count: usize| format!("a{}", ".b".repeat(count));
        assert_eq!(error(&fields(250)), "");
        assert!(error(&fields(251)).contains("recursion depth"));
        assert_eq!(error(&["a"; 1000].join(" || ")), "");
        assert!(error(&["1"; 252].join(" + ")).contains("recursion depth"));
        assert!(error(&"a".repeat(100_001)).contains("size: 100001, limit 100000"));
    }
}
