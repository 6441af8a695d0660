//! Quoted strings.

use alloc::{string::String, vec::Vec};

/// Removes the quotes as Go's `strconv` does, in which double or single quotes can be around a string.
pub(super) fn unquote(text: &str) -> Option<String> {
    let quote = text.chars().next()?;
    let mut rest = text.get(1..text.len() - 1)?;
    let mut bytes = Vec::new();
    while !rest.is_empty() {
        rest = character(rest, quote, &mut bytes)?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Appends a character, if it is valid between such quotes, and returns the rest after it.
fn character<'t>(text: &'t str, quote: char, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let Some(escaped) = text.strip_prefix('\\') else {
        let rest = text.strip_prefix(|c| c != quote)?;
        bytes.extend_from_slice(&text.as_bytes()[..text.len() - rest.len()]);
        return Some(rest);
    };
    let mut chars = escaped.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    let byte = match first {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0C,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0B,
        '\\' => b'\\',
        'x' => return byte(code(rest, 2, 16)?, bytes),
        'u' => return unicode(code(rest, 4, 16)?, bytes),
        'U' => return unicode(code(rest, 8, 16)?, bytes),
        '0'..='7' => return byte(code(escaped, 3, 8)?, bytes),
        other if other == quote => u8::try_from(other).ok()?,
        _ => return None,
    };
    bytes.push(byte);
    Some(rest)
}

fn byte<'t>((code, rest): (u32, &'t str), bytes: &mut Vec<u8>) -> Option<&'t str> {
    bytes.push(u8::try_from(code).ok()?);
    Some(rest)
}

fn unicode<'t>((code, rest): (u32, &'t str), bytes: &mut Vec<u8>) -> Option<&'t str> {
    let c = char::from_u32(code)?;
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Some(rest)
}

fn code(text: &str, length: usize, radix: u32) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(length)?;
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().map(|code| (code, rest))
}
