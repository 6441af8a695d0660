//! Finds the end of a string.

#[cfg(feature = "informer")]
use wide::u8x16;

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
#[cfg(feature = "informer")]
#[inline]
fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(chunk) = bytes.get(at..)?.first_chunk::<16>() {
        let found = specials(*chunk);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 16;
    }
    special_in_rest(bytes, at)
}

/// The implementation without SIMD.
#[cfg(not(feature = "informer"))]
fn special(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?;
    special_in_rest(bytes, at)
}

fn special_in_rest(bytes: &[u8], at: usize) -> Option<usize> {
    let mut rest = bytes[at..].iter();
    let found = rest.position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    found.map(|found| at + found)
}

#[cfg(feature = "informer")]
#[inline]
fn specials(chunk: [u8; 16]) -> u32 {
    let chunk = u8x16::new(chunk);
    let quotes = chunk.simd_eq(u8x16::splat(b'"'));
    let backslashes = chunk.simd_eq(u8x16::splat(b'\\'));
    let controls = chunk.min(u8x16::splat(0x1f)).simd_eq(chunk);
    (quotes | backslashes | controls).to_bitmask()
}
