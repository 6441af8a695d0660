//! Codes with a fixed form.

use alloc::vec::Vec;

/// 24 hexadecimal digits.
pub(super) fn is_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Padded base64 that is not empty.
pub(super) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(is_digit)
}

/// A card number of a common issuer with its check digit, regardless of separators.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    let is_issued = matches!(
        (&*digits, digits.len()),
        ([4, ..], 13 | 16)
            | ([5, 1..=5, ..] | [6, 0, 1, 1, ..] | [6 | 3, 5, ..], 16)
            | ([3, 4 | 7, ..] | [2, 1, 3, 1, ..] | [1, 8, 0, 0, ..], 15)
            | ([3, 0, 0..=5, ..] | [3, 6 | 8, ..], 14)
    );
    let doubled = |digit: u8| if digit < 5 { digit * 2 } else { digit * 2 - 9 };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(at, digit)| u32::from(if at % 2 == 1 { doubled(*digit) } else { *digit }))
        .sum();
    is_issued && sum.is_multiple_of(10)
}

/// An ISBN of either form.
pub(super) fn is_isbn(text: &str) -> bool {
    is_isbn10(text) || is_isbn13(text)
}

/// An ISBN of ten digits, the last of which can be X.
pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_spaces(text);
    let [first @ .., last] = &*digits else {
        return false;
    };
    if first.len() != 9 || !first.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let last = match last {
        b'X' => 10,
        digit if digit.is_ascii_digit() => u32::from(digit - b'0'),
        _ => return false,
    };
    let weighted = first.iter().zip(1..).map(|(digit, weight)| weight * u32::from(digit - b'0'));
    (weighted.sum::<u32>() + 10 * last).is_multiple_of(11)
}

/// An ISBN of thirteen digits.
pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_spaces(text);
    let weighted = digits.iter().zip([1, 3].into_iter().cycle());
    digits.len() == 13
        && digits.iter().all(u8::is_ascii_digit)
        && weighted.map(|(digit, weight)| weight * u32::from(digit - b'0')).sum::<u32>().is_multiple_of(10)
}

fn without_spaces(text: &str) -> Vec<u8> {
    let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ' | b'-');
    text.bytes().filter(is_kept).collect()
}

/// Three, two and four digits, separated by hyphens or spaces.
pub(super) fn is_ssn(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        3 | 6 => matches!(byte, b'-' | b' '),
        _ => byte.is_ascii_digit(),
    };
    text.len() == 11 && text.bytes().enumerate().all(is_right)
}

/// Three or six hexadecimal digits, with or without `#`.
pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(r, g, b)`.
pub(super) fn is_rgb_color(text: &str) -> bool {
    let inner = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return false;
    };
    let is_part = |part: &str| {
        let part = part.trim_matches(['\t', '\n', '\u{C}', '\r', ' ']);
        let is_short = part == "0" || !part.starts_with('0') && part.bytes().all(|it| it.is_ascii_digit());
        is_short && part.parse::<u8>().is_ok()
    };
    inner.split(',').count() == 3 && inner.split(',').all(is_part)
}

/// A UUID of any version, with optional hyphens.
pub(super) fn is_uuid(text: &str) -> bool {
    uuid_digits(text).is_some()
}

/// A UUID of version 3.
pub(super) fn is_uuid3(text: &str) -> bool {
    uuid_digits(text).is_some_and(|digits| digits[12] == b'3')
}

/// A UUID of version 4.
pub(super) fn is_uuid4(text: &str) -> bool {
    is_variant(text, b'4')
}

/// A UUID of version 5.
pub(super) fn is_uuid5(text: &str) -> bool {
    is_variant(text, b'5')
}

fn is_variant(text: &str, version: u8) -> bool {
    uuid_digits(text)
        .is_some_and(|digits| digits[12] == version && matches!(digits[16], b'8' | b'9' | b'a' | b'A' | b'b' | b'B'))
}

fn uuid_digits(text: &str) -> Option<Vec<u8>> {
    let mut digits = Vec::with_capacity(32);
    let mut is_after_hyphen = false;
    for byte in text.bytes() {
        match byte {
            b'-' if !is_after_hyphen && matches!(digits.len(), 8 | 12 | 16 | 20) => {
                is_after_hyphen = true;
                continue;
            }
            byte if byte.is_ascii_hexdigit() && digits.len() < 32 => digits.push(byte),
            _ => return None,
        }
        is_after_hyphen = false;
    }
    (digits.len() == 32).then_some(digits)
}
