//! The lexer, by the rules of CEL's grammar.

use alloc::{format, vec::Vec};

use super::error::Error;

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// The source text; empty at the end.
    pub(super) text: &'a str,
    /// The byte offset.
    pub(super) at: usize,
}

impl<'a> Token<'a> {
    /// Returns the token as messages show it.
    pub(super) const fn shown(&self) -> &'a str {
        match self.kind {
            Kind::End => "<EOF>",
            _ => self.text,
        }
    }

    /// Whether an operand can start with the token.
    pub(super) fn begins_operand(&self) -> bool {
        match self.kind {
            Kind::Symbol => {
                matches!(self.text, "[" | "{" | "(" | "." | "-" | "!" | "true" | "false" | "null")
            }
            Kind::Escaped | Kind::End => false,
            _ => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operator, a bracket, `in`, `true`, `false` or `null`.
    Symbol,
    Identifier,
    /// A name in backticks.
    Escaped,
    Int,
    Uint,
    Float,
    String,
    Bytes,
    End,
}

const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%",
];

/// Returns the tokens of an expression, the last of which is the end, and the errors about invalid characters, which are skipped.
pub(super) fn lex(source: &str) -> (Vec<Token<'_>>, Vec<Error>) {
    let (mut tokens, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    loop {
        at = skip_blank(source, at);
        let rest = &source[at..];
        if rest.is_empty() {
            tokens.push(Token { kind: Kind::End, text: "", at });
            return (tokens, errors);
        }
        let length = match token(rest) {
            Some((kind, length)) => {
                tokens.push(Token { kind, text: &rest[..length], at });
                length
            }
            None => {
                let length = unknown(rest);
                let text = &rest[..length];
                let message = format!("Syntax error: token recognition error at: '{text}'");
                errors.push(Error::new(at, message));
                length
            }
        };
        at += length;
    }
}

/// Returns the length of the invalid text that the server skips.
fn unknown(rest: &str) -> usize {
    let first = rest.chars().next().unwrap_or_default();
    let length = first.len_utf8();
    match first {
        '=' | '&' | '|' => length + rest[length..].chars().next().map_or(0, char::len_utf8),
        '\'' | '"' => unclosed(rest, first),
        _ => length,
    }
}

/// Returns the length of an unclosed string that the server reports.
fn unclosed(rest: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(letter) = rest[at..].chars().next() {
        at += match letter {
            '\\' => match escape(&rest[at..]) {
                Some(length) => length,
                None => {
                    let after = rest[at + 1..].chars().next();
                    return at + 1 + after.map_or(0, char::len_utf8);
                }
            },
            '\n' | '\r' => return at + 1,
            letter if letter == quote => return at + 1,
            letter => letter.len_utf8(),
        };
    }
    rest.len()
}

fn skip_blank(source: &str, mut at: usize) -> usize {
    loop {
        let rest = &source[at..];
        let text = rest.trim_start_matches(['\t', ' ', '\r', '\n', '\u{c}']);
        at += rest.len() - text.len();
        if !text.starts_with("//") {
            return at;
        }
        at += text.find('\n').unwrap_or(text.len());
    }
}

fn token(rest: &str) -> Option<(Kind, usize)> {
    let first = rest.as_bytes()[0];
    if let Some((kind, length)) = text(rest) {
        return Some((kind, length));
    }
    if first.is_ascii_digit() || (first == b'.' && digits(&rest[1..]) > 0) {
        return Some(number(rest));
    }
    if first.is_ascii_alphabetic() || first == b'_' {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let kind = match &rest[..length] {
            "in" | "true" | "false" | "null" => Kind::Symbol,
            _ => Kind::Identifier,
        };
        return Some((kind, length));
    }
    if first == b'`' {
        let inner = &rest[1..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-/ ".contains(c);
        let length = inner.find(|c| !is_part(c))?;
        let is_closed = length > 0 && inner[length..].starts_with('`');
        return is_closed.then_some((Kind::Escaped, length + 2));
    }
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
    Some((Kind::Symbol, symbol.len()))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number(rest: &str) -> (Kind, usize) {
    if let Some(hex) = rest.strip_prefix("0x") {
        let length = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if length > 0 {
            return suffixed(rest, 2 + length);
        }
    }
    let whole = digits(rest);
    let mut length = whole;
    if rest[length..].starts_with('.') {
        let fraction = digits(&rest[length + 1..]);
        if fraction > 0 {
            length += 1 + fraction;
        }
    }
    length += exponent(&rest[length..]);
    if length == whole { suffixed(rest, length) } else { (Kind::Float, length) }
}

fn exponent(rest: &str) -> usize {
    let Some(after) = rest.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let power = after.strip_prefix(['+', '-']).unwrap_or(after);
    match digits(power) {
        0 => 0,
        count => rest.len() - power.len() + count,
    }
}

fn suffixed(rest: &str, length: usize) -> (Kind, usize) {
    if rest[length..].starts_with(['u', 'U']) { (Kind::Uint, length + 1) } else { (Kind::Int, length) }
}

/// Returns the length of a string or bytes literal, with its prefix and quotes.
fn text(rest: &str) -> Option<(Kind, usize)> {
    let (kind, after) = match rest.strip_prefix(['b', 'B']) {
        Some(after) => (Kind::Bytes, after),
        None => (Kind::String, rest),
    };
    let (is_raw, quoted) = match after.strip_prefix(['r', 'R']) {
        Some(quoted) => (true, quoted),
        None => (false, after),
    };
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let thrice = if quote == '"' { "\"\"\"" } else { "'''" };
    let prefix = rest.len() - quoted.len();
    let long = quoted.strip_prefix(thrice).and_then(|inner| closed(inner, thrice, is_raw, true)).map(|inner| inner + 6);
    let length = long.or_else(|| {
        let inner = &quoted[1..];
        closed(inner, &thrice[..1], is_raw, false).map(|inner| inner + 2)
    });
    length.map(|length| (kind, prefix + length))
}

/// Returns the length of a string including the closing quotes.
fn closed(inner: &str, end: &str, is_raw: bool, is_long: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &inner[at..];
        if rest.starts_with(end) {
            return Some(at);
        }
        let letter = rest.chars().next()?;
        at += match letter {
            '\\' if !is_raw => escape(rest)?,
            '\n' | '\r' if !is_long => return None,
            letter => letter.len_utf8(),
        };
    }
}

/// Returns the length of an escape.
fn escape(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let hex = |count: usize| {
        let digits = bytes.get(2..2 + count)?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(2 + count)
    };
    match bytes.get(1)? {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`' => Some(2),
        b'x' | b'X' => hex(2),
        b'u' => hex(4),
        b'U' => hex(8),
        b'0'..=b'3' => {
            let octal = bytes.get(2..4)?;
            octal.iter().all(|it| (b'0'..=b'7').contains(it)).then_some(4)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        let (tokens, errors) = lex(source);
        assert_eq!(errors, []);
        tokens.iter().map(|token| token.text).collect()
    }

    #[test]
    fn tokens() {
        assert_eq!(
            texts("self.a>=1.5e3 // b\n&& 0x1Fu in[.5]"),
            ["self", ".", "a", ">=", "1.5e3", "&&", "0x1Fu", "in", "[", ".5", "]", ""]
        );
        assert_eq!(texts("1.e 0x 1u"), ["1", ".", "e", "0", "x", "1u", ""]);
        assert_eq!(
            texts(r#"r'\' + b"\x41" + '''a'b''' + br"c" rb'' '\''"#),
            [r"r'\'", "+", r#"b"\x41""#, "+", "'''a'b'''", "+", "br\"c\"", "rb", "''", r"'\''", ""]
        );
    }

    #[test]
    fn what_is_no_token() {
        for (source, at) in
            [("a = b", 2), ("'a", 0), (r"'\q'", 0), (r"'\400'", 0), ("'a\nb'", 0), ("a & b", 2), ("é", 0), ("`a", 0)]
        {
            assert_eq!(lex(source).1[0].at, at, "{source}");
        }
    }
}
