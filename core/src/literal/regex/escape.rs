//! Escapes, and classes in brackets.

use super::{
    ErrorKind,
    class::Class,
    node::{Flags, Op},
    parser::{ParseResult, Parser, before, error, next},
};
use crate::go::unicode::MAX;

/// Parses an escaped character. Returns it and the rest.
pub(super) fn escape(text: &str) -> ParseResult<'_, (u32, &str)> {
    let Some((first, tail)) = next(&text[1..]) else {
        return Err(error(ErrorKind::TrailingBackslash, ""));
    };
    let (code, rest) = match first {
        '1'..='7' if !tail.starts_with(|c| matches!(c, '0'..='7')) => (None, tail),
        '0'..='7' => {
            let digits = |c: &u8| matches!(c, b'0'..=b'7');
            let more = tail.bytes().take(2).take_while(digits).count();
            let octal = &text[1..2 + more];
            (u32::from_str_radix(octal, 8).ok(), &tail[more..])
        }
        'x' => hexadecimal(tail),
        'a' => (Some(0x7), tail),
        'f' => (Some(0xC), tail),
        'n' => (Some(0xA), tail),
        'r' => (Some(0xD), tail),
        't' => (Some(0x9), tail),
        'v' => (Some(0xB), tail),
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => (Some(u32::from(other)), tail),
        _ => (None, tail),
    };
    match code {
        Some(code) => Ok((code, rest)),
        None => Err(error(ErrorKind::InvalidEscape, before(text, rest))),
    }
}

/// Parses the digits after `\x`. Returns the code point, if it is valid, and the rest.
fn hexadecimal(tail: &str) -> (Option<u32>, &str) {
    let Some((first, rest)) = next(tail) else {
        return (None, tail);
    };
    if first == '{' {
        return braced(rest);
    }
    let (second, rest) = match next(rest) {
        Some((second, rest)) => (Some(second), rest),
        None => (None, rest),
    };
    let digit = |c: char| c.to_digit(16);
    let code = digit(first).zip(second.and_then(digit));
    (code.map(|(high, low)| 16 * high + low), rest)
}

fn braced(text: &str) -> (Option<u32>, &str) {
    let mut code: Option<u32> = None;
    let mut rest = text;
    while let Some((character, after)) = next(rest) {
        rest = after;
        if character == '}' {
            return (code, rest);
        }
        let Some(digit) = character.to_digit(16) else {
            return (None, rest);
        };
        let value = 16 * code.unwrap_or_default() + digit;
        if value > MAX {
            return (None, rest);
        }
        code = Some(value);
    }
    (None, rest)
}

impl<'p> Parser<'p> {
    /// Parses a class in brackets.
    pub(super) fn class(&mut self, text: &'p str) -> ParseResult<'p, &'p str> {
        let id = self.node(Op::Class);
        self.nodes[id].flags = self.flags;
        let mut class = Class::default();
        let inner = &text[1..];
        let positive = inner.strip_prefix('^');
        let mut rest = positive.unwrap_or(inner);
        let mut first = true;
        let after = loop {
            match rest.strip_prefix(']') {
                Some(after) if !first => break after,
                _ => rest = self.class_item(rest, text, &mut class)?,
            }
            first = false;
        };
        class.clean();
        self.nodes[id].class = match positive {
            Some(_) => class.negated(),
            None => class,
        };
        self.push(id)?;
        Ok(after)
    }

    /// Parses a named class, a character or a range within a class.
    fn class_item(&mut self, text: &'p str, whole: &'p str, class: &mut Class) -> ParseResult<'p, &'p str> {
        if let Some(rest) = self.posix_class(text, class)? {
            return Ok(rest);
        }
        if let Some(rest) = self.unicode_class(text, class)? {
            return Ok(rest);
        }
        if let Some(rest) = self.perl_class(text, class) {
            return Ok(rest);
        }
        let (lo, mut rest) = class_character(text, whole)?;
        let mut hi = lo;
        if let Some(tail) = rest.strip_prefix('-')
            && !tail.is_empty()
            && !tail.starts_with(']')
        {
            (hi, rest) = class_character(tail, whole)?;
            if hi < lo {
                return Err(error(ErrorKind::InvalidCharRange, before(text, rest)));
            }
        }
        if self.flags.has(Flags::FOLD_CASE) {
            class.add_folded((lo, hi));
        } else {
            class.add((lo, hi));
        }
        Ok(rest)
    }
}

fn class_character<'p>(text: &'p str, whole: &'p str) -> ParseResult<'p, (u32, &'p str)> {
    match next(text) {
        None => Err(error(ErrorKind::MissingBracket, whole)),
        Some(('\\', _)) => escape(text),
        Some((character, rest)) => Ok((u32::from(character), rest)),
    }
}
