//! Finds the end of a string.

use super::vector::{Bytes, WIDTH};

/// Returns the index of the closing quote, and whether the string has no escapes. `at` is the index after the opening
/// quote.
///
/// The content is valid JSON, except that escapes may be unpaired surrogates.
#[inline]
pub(super) fn string_end(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let end = special(bytes, at)?;
    if bytes[end] == b'"' {
        return Some((end, true));
    }
    Some((escaped_end(bytes, end)?, false))
}

/// Returns the end of a string with a special byte at `at`.
fn escaped_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at = special(bytes, escape_end(bytes, at + 1)?)?,
            _ => return None,
        }
    }
}

fn escape_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (escaped, hex) = bytes[at..].split_first()?;
    match escaped {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' if hex.first_chunk::<4>()?.iter().all(u8::is_ascii_hexdigit) => Some(at + 5),
        _ => None,
    }
}

/// Returns the index of the next quote, backslash or control character.
#[inline]
fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(chunk) = bytes.get(at..)?.first_chunk::<WIDTH>() {
        let found = specials(Bytes::new(chunk));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += WIDTH;
    }
    let mut rest = bytes[at..].iter();
    let found = rest.position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    found.map(|found| at + found)
}

#[inline]
fn specials(chunk: Bytes) -> u16 {
    chunk.equal(b'"') | chunk.equal(b'\\') | chunk.at_most(0x1f)
}
