//! Go's representation of values.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString as _},
    vec::Vec,
};
use core::fmt::{self, Write as _};

use self::printable::Printable;
use crate::json::Json;

pub mod printable;
pub mod quoted;
pub(crate) mod unicode;

/// A JSON number, as Go represents it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A 64-bit integer.
    Integer(i64),
    /// Any other number, or a number that was written with a fraction or an exponent.
    Float(f64),
}

impl Number {
    /// Returns the number, if the value is one. Integers beyond 64 bits are floats.
    pub fn of(value: &Json<'_>) -> Option<Self> {
        match value {
            Json::Integer(value) => Some(Self::Integer(*value)),
            other => other.as_f64().map(Self::Float),
        }
    }

    /// Whether the number is written as a 64-bit integer.
    pub fn is_integer(self) -> bool {
        self.as_integer().is_some()
    }

    /// Returns the number as a 64-bit integer, if it is written as one.
    pub fn as_integer(self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(value),
            Self::Float(value) => format!("{value}").parse().ok(),
        }
    }

    /// Returns the number as a float.
    #[allow(clippy::cast_precision_loss)] // as Go compares them
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// Truncates a number to an integer; the result is `i64::MIN` if it is out of range.
#[allow(clippy::cast_possible_truncation)] // the number is in range
pub fn truncated(number: f64) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&number) { number as i64 } else { i64::MIN }
}

/// Returns the shortest text of a number with Go's last digit, where `text` has Rust's. The mantissa has `bits` bits.
///
/// Where numbers are multiples of 0.25, and the shortest text has one digit after the point, two of them are equally near: Rust takes
/// the greater digit, Go the even one.
#[allow(clippy::cast_precision_loss)] // a power of two
pub fn even_digit(mut text: String, number: f64, bits: u32) -> String {
    let (size, least) = (number.abs(), (1_u64 << (bits - 3)) as f64);
    if (least..2.0 * least).contains(&size) && size - truncated(size) as f64 == 0.25 {
        let digit = text.find('e').unwrap_or(text.len()) - 1;
        text.replace_range(digit..=digit, "2");
    }
    text
}

/// Formats a number as `%v`.
pub fn number(number: f64) -> String {
    let text = even_digit(format!("{number:e}"), number, 53);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Formats a number as JSON.
fn json_number(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return even_digit(format!("{number}"), number, 53);
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Formats a value as errors quote it: strings in double quotes, lists and objects as JSON.
pub fn quoted(value: &Json<'_>) -> String {
    match value {
        Json::String(text) => quote(text),
        Json::Float(_) | Json::Unsigned(_) => number(value.as_f64().unwrap_or_default()),
        other => json(other),
    }
}

/// Formats a string as `%q`.
pub fn quote(text: &str) -> String {
    let printable = (!text.is_ascii()).then(Printable::new);
    let is_printable = |c: char| c.is_ascii() || printable.as_ref().is_some_and(|it| it.contains(c));
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' => quoted.write_str("\\\""),
            '\\' => quoted.write_str("\\\\"),
            '\u{7}' => quoted.write_str("\\a"),
            '\u{8}' => quoted.write_str("\\b"),
            '\u{C}' => quoted.write_str("\\f"),
            '\n' => quoted.write_str("\\n"),
            '\r' => quoted.write_str("\\r"),
            '\t' => quoted.write_str("\\t"),
            '\u{B}' => quoted.write_str("\\v"),
            c if c.is_ascii_control() => write!(quoted, "\\x{:02x}", u32::from(c)),
            c if is_printable(c) => quoted.write_char(c),
            c if c > '\u{FFFF}' => write!(quoted, "\\U{:08x}", u32::from(c)),
            c => write!(quoted, "\\u{:04x}", u32::from(c)),
        };
    }
    quoted.push('"');
    quoted
}

/// Formats a value as JSON, with sorted members and escaped HTML characters.
pub fn json(value: &Json<'_>) -> String {
    let mut text = String::new();
    write_json(value, &mut text);
    text
}

/// Returns the members of an object in the order of their names.
pub(crate) fn sorted<'m, 'j>(members: &'m [(Cow<'j, str>, Json<'j>)]) -> Vec<&'m (Cow<'j, str>, Json<'j>)> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
    sorted
}

fn write_json(value: &Json<'_>, text: &mut String) {
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Integer(value) => text.push_str(&value.to_string()),
        Json::Float(_) | Json::Unsigned(_) => {
            text.push_str(&json_number(value.as_f64().unwrap_or_default()));
        }
        Json::String(value) => drop(write_text(value, text)),
        Json::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_json(item, text);
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (at, (name, value)) in sorted(members).into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_text(name, text).expect("a string takes any text");
                text.push(':');
                write_json(value, text);
            }
            text.push('}');
        }
    }
}

/// Writes a string as Go's JSON encoder does.
pub(crate) fn write_text(value: &str, text: &mut dyn fmt::Write) -> fmt::Result {
    text.write_char('"')?;
    for c in value.chars() {
        match c {
            '"' => text.write_str("\\\"")?,
            '\\' => text.write_str("\\\\")?,
            '\u{8}' => text.write_str("\\b")?,
            '\u{C}' => text.write_str("\\f")?,
            '\n' => text.write_str("\\n")?,
            '\r' => text.write_str("\\r")?,
            '\t' => text.write_str("\\t")?,
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(text, "\\u{:04x}", u32::from(c))?;
            }
            c if c < ' ' => write!(text, "\\u{:04x}", u32::from(c))?,
            c => text.write_char(c)?,
        }
    }
    text.write_char('"')
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn numbers() {
        for (value, plain, as_json) in [
            (1.0, "1", "1"),
            (0.5, "0.5", "0.5"),
            (123_456.0, "123456", "123456"),
            (1e6, "1e+06", "1000000"),
            (1e20, "1e+20", "100000000000000000000"),
            (1e21, "1e+21", "1e+21"),
            (1.25e300, "1.25e+300", "1.25e+300"),
            (0.0001, "0.0001", "0.0001"),
            (0.000_01, "1e-05", "0.00001"),
            (-2.5e-7, "-2.5e-07", "-2.5e-7"),
            (4_503_599_627_370_496.0 / 3.0, "1.5011998757901652e+15", "1501199875790165.2"),
            (-1_501_199_875_790_165.8, "-1.5011998757901658e+15", "-1501199875790165.8"),
        ] {
            assert_eq!(number(value), plain);
            assert_eq!(json(&Json::Float(value)), as_json);
        }
        assert_eq!(truncated(-1.5), -1);
        assert_eq!(truncated(1e19), i64::MIN);
    }

    #[test]
    fn texts() {
        assert_eq!(quote("a\"\u{1}\u{7}ß'"), r#""a\"\x01\aß'""#);
        assert_eq!(quote("\u{AD}\u{F0000}"), r#""\u00ad\U000f0000""#);
        let object = Json::Object(vec![("b".into(), Json::Null), ("a".into(), Json::String("<\u{1}>".into()))]);
        assert_eq!(json(&object), r#"{"a":"\u003c\u0001\u003e","b":null}"#);
    }
}
