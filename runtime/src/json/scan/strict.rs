//! Skips values and validates them.
//!
//! Each function takes the index at which a value starts and returns the index at which it ends.

use crate::json::scan::{spaces_end, string::string_end};

/// Maximum nesting depth of objects and lists; serde_json has the same limit.
pub(crate) const MAX_DEPTH: usize = 127;

/// Returns the end of a value, validated to the same degree as a value that serde_json ignores. `depth` is the number
/// of enclosing objects and lists.
pub(super) fn value_end(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    value(bytes, spaces_end(bytes, at), depth)
}

/// `at` is the index after any spaces.
fn value(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    match *bytes.get(at)? {
        b'"' => Some(string_end(bytes, at + 1)?.0 + 1),
        b'{' => object(bytes, at + 1, depth + 1),
        b'[' => list(bytes, at + 1, depth + 1),
        b't' => literal(bytes, at, b"true"),
        b'f' => literal(bytes, at, b"false"),
        b'n' => literal(bytes, at, b"null"),
        _ => number_end(bytes, at),
    }
}

fn object(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    let mut at = spaces_end(bytes, at);
    if depth > MAX_DEPTH {
        return None;
    }
    if bytes.get(at) == Some(&b'}') {
        return Some(at + 1);
    }
    loop {
        at = expect(bytes, at, b'"')?;
        at = spaces_end(bytes, string_end(bytes, at)?.0 + 1);
        at = spaces_end(bytes, expect(bytes, at, b':')?);
        at = spaces_end(bytes, value(bytes, at, depth)?);
        match bytes.get(at)? {
            b',' => at = spaces_end(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

fn list(bytes: &[u8], at: usize, depth: usize) -> Option<usize> {
    let mut at = spaces_end(bytes, at);
    if depth > MAX_DEPTH {
        return None;
    }
    if bytes.get(at) == Some(&b']') {
        return Some(at + 1);
    }
    loop {
        at = spaces_end(bytes, value(bytes, at, depth)?);
        match bytes.get(at)? {
            b',' => at = spaces_end(bytes, at + 1),
            b']' => return Some(at + 1),
            _ => return None,
        }
    }
}

#[inline]
fn expect(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    (bytes.get(at) == Some(&byte)).then_some(at + 1)
}

fn literal(bytes: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    bytes[at..].starts_with(literal).then_some(at + literal.len())
}

/// Returns the end of a number without a fraction or an exponent.
#[inline]
pub(super) fn integer_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end = whole_end(bytes, at)?;
    let has_next = matches!(bytes.get(end), Some(b'.' | b'e' | b'E'));
    (!has_next).then_some(end)
}

#[inline]
fn whole_end(bytes: &[u8], at: usize) -> Option<usize> {
    let start = expect(bytes, at, b'-').unwrap_or(at);
    expect(bytes, start, b'0').or_else(|| digits(bytes, start))
}

/// Returns the end of a number.
pub(super) fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let passes = |at, byte| expect(bytes, at, byte).unwrap_or(at);
    let mut at = whole_end(bytes, at)?;
    if let Some(fraction) = expect(bytes, at, b'.') {
        at = digits(bytes, fraction)?;
    }
    if let Some(exponent) = expect(bytes, at, b'e').or_else(|| expect(bytes, at, b'E')) {
        let sign = expect(bytes, exponent, b'+');
        at = digits(bytes, sign.unwrap_or_else(|| passes(exponent, b'-')))?;
    }
    Some(at)
}

fn digits(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(at + digits.count()).filter(|end| *end > at)
}
