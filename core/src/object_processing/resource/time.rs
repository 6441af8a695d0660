//! Go's errors about times.

use alloc::{format, string::String, vec::Vec};

use crate::literal::formats;

/// Returns Go's error about an invalid RFC 3339 time.
pub(super) fn time_error(text: &str) -> Option<String> {
    const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
    let wrong = |rest: &str, part: &str| {
        let [text, layout, rest, part] = [text, LAYOUT, rest, part].map(quote_bytes);
        Some(format!("parsing time {text} as {layout}: cannot parse {rest} as {part}"))
    };
    let out_of_range = |what: &str| {
        let text = quote_bytes(text);
        Some(format!("parsing time {text}: {what} out of range"))
    };
    let mut rest = text;
    let mut numbers = Vec::new();
    for part in ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"] {
        let (value, after) = match rest.split_at_checked(part.len()) {
            Some(halves) if is_part(halves.0, part) => halves,
            _ => return wrong(rest, part),
        };
        rest = after;
        if let Ok(number) = value.parse::<u32>() {
            numbers.push(number);
            match (numbers.len(), number) {
                (2, 0 | 13..) => return out_of_range("month"),
                (4, 24..) => return out_of_range("hour"),
                (5, 60..) => return out_of_range("minute"),
                (6, 60..) => return out_of_range("second"),
                _ => {}
            }
        }
    }
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let end = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if end > 0 {
            rest = &fraction[end..];
        }
    }
    let behind = match rest.as_bytes() {
        [b'Z', ..] => &rest[1..],
        [b'+' | b'-', a, b, b':', c, d, ..] if [a, b, c, d].into_iter().all(u8::is_ascii_digit) => {
            let number = |at: usize| rest[at..at + 2].parse::<u32>().unwrap_or(0);
            if number(1) > 24 {
                return out_of_range("time zone offset hour");
            }
            if number(4) > 60 {
                return out_of_range("time zone offset minute");
            }
            &rest[6..]
        }
        _ => return wrong(rest, "Z07:00"),
    };
    if !behind.is_empty() {
        let [text, behind] = [text, behind].map(quote_bytes);
        return Some(format!("parsing time {text}: extra text: {behind}"));
    }
    if formats::is_date(&text[..10]) { None } else { out_of_range("day") }
}

/// Formats a string in double quotes as in errors about times: bytes that are not printable ASCII are escaped.
fn quote_bytes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            byte => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}

fn is_part(value: &str, part: &str) -> bool {
    if part.as_bytes()[0].is_ascii_digit() { value.bytes().all(|byte| byte.is_ascii_digit()) } else { value == part }
}
