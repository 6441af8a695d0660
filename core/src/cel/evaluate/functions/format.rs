//! The method `format` of strings, with the clauses and the errors of cel-go.
//!
//! cel-go writes floats in the American way: with commas between thousands, and exponents as powers of ten.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{Function, conversions::seconds, no_overload};
use crate::{
    cel::evaluate::{
        Run,
        error::{Evaluated, Stop},
        key::Key,
        program::Call,
        show,
        value::Value,
    },
    go::quote,
};

pub(super) fn named(name: &str) -> Option<Function> {
    (name == "format").then_some(formatted as Function)
}

/// The default number of digits after the point.
const PRECISION: usize = 6;

/// The highest precision of Go's `fmt`.
const MAX_PRECISION: usize = 1_000_000;

fn formatted<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let [Value::Text(template), list] = args else { return no_overload(call, args) };
    if !list.is_list() {
        return no_overload(call, args);
    }
    let mut items = list.items()?.into_iter();
    let mut used = 0;
    let mut text = String::new();
    let mut rest = &**template;
    while let Some((before, clause)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(after) = clause.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let item = items.next().ok_or_else(|| Stop::from(format!("index {used} out of range")))?;
        used += 1;
        if clause.is_empty() {
            return Err("unexpected end of string".into());
        }
        let (precision, clause) = precision(clause).map_err(unparsed)?;
        let letter = clause.chars().next().unwrap_or_default();
        let written = clause_text(letter, precision, &item, run)?;
        run.allocate(written.len())?;
        text.push_str(&written);
        rest = &clause[letter.len_utf8()..];
    }
    text.push_str(rest);
    Ok(Value::text(text))
}

fn unparsed(why: String) -> Stop {
    format!("could not parse formatting clause: error while parsing precision: {why}").into()
}

/// Returns the precision, if there is one, and the rest of the clause.
fn precision(clause: &str) -> Result<(Option<usize>, &str), String> {
    let Some(digits) = clause.strip_prefix('.') else {
        return Ok((None, clause));
    };
    let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if rest.is_empty() {
        return Err("could not find end of precision specifier".into());
    }
    let number = &digits[..digits.len() - rest.len()];
    let Ok(precision) = number.parse::<i64>() else {
        let why = if number.is_empty() { "invalid syntax" } else { "value out of range" };
        return Err(format!(
            "error while converting precision to integer: strconv.Atoi: parsing {}: {why}",
            quote(number)
        ));
    };
    Ok((Some(usize::try_from(precision).unwrap_or(usize::MAX)), rest))
}

fn clause_text(
    letter: char,
    precision: Option<usize>,
    item: &Value<'_>,
    run: &mut Run<'_, '_>,
) -> Result<String, Stop> {
    let written = match letter {
        's' => plain(item, run),
        'd' => decimal(item),
        'f' => float(item, "fixed-point").and_then(|value| {
            let precision = precision.unwrap_or(PRECISION);
            run.allocate(precision.min(MAX_PRECISION))?;
            Ok(fixed(value, precision))
        }),
        'e' => float(item, "scientific").and_then(|value| {
            let width = precision.unwrap_or(PRECISION);
            run.allocate(width.min(MAX_PRECISION))?;
            Ok(scientific(value, width))
        }),
        'b' => match item {
            Value::Int(value) => Ok(radix(*value, |size| format!("{size:b}"))),
            Value::Uint(value) => Ok(format!("{value:b}")),
            Value::Bool(value) => Ok(u8::from(*value).to_string()),
            item => Err(given("only integers and bools can be formatted as binary", item)),
        },
        'o' => match item {
            Value::Int(value) => Ok(radix(*value, |size| format!("{size:o}"))),
            Value::Uint(value) => Ok(format!("{value:o}")),
            item => Err(given("octal clause can only be used on integers", item)),
        },
        'x' | 'X' => hexadecimal(item, run).map(|text| if letter == 'X' { text.to_uppercase() } else { text }),
        other => {
            // Go takes the first byte for a character.
            let first = char::from(other.encode_utf8(&mut [0; 4]).as_bytes()[0]);
            return Err(format!("could not parse formatting clause: unrecognized formatting clause \"{first}\"").into());
        }
    };
    written.map_err(|stop| match stop.text() {
        Some(text) => Stop::from(format!("error during formatting: {text}")),
        None => stop,
    })
}

fn given(what: &str, item: &Value<'_>) -> Stop {
    format!("{what}, was given {}", item.type_name()).into()
}

fn radix(value: i64, write: fn(u64) -> String) -> String {
    let size = write(value.unsigned_abs());
    if value < 0 { format!("-{size}") } else { size }
}

fn hexadecimal(item: &Value<'_>, run: &mut Run<'_, '_>) -> Result<String, Stop> {
    let bytes = match item {
        Value::Int(value) => return Ok(radix(*value, |size| format!("{size:x}"))),
        Value::Uint(value) => return Ok(format!("{value:x}")),
        Value::Text(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        item => return Err(given("only integers, byte buffers, and strings can be formatted as hex", item)),
    };
    run.allocate(bytes.len().saturating_mul(2))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn decimal(item: &Value<'_>) -> Result<String, Stop> {
    match item {
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        item => Err(given("decimal clause can only be used on integers", item)),
    }
}

/// Returns the number of a clause for floats, which also accepts the names of those that have no digits.
fn float(item: &Value<'_>, clause: &str) -> Result<f64, Stop> {
    match item {
        Value::Double(value) => Ok(*value),
        Value::Text(text) => match &**text {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(given(&format!("{clause} clause can only be used on doubles"), item)),
        },
        item => Err(given(&format!("{clause} clause can only be used on doubles"), item)),
    }
}

/// Returns the text of a number without digits.
fn named_number(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("\u{221E}"),
        f64::NEG_INFINITY => Some("-\u{221E}"),
        _ => None,
    }
}

fn fixed(value: f64, precision: usize) -> String {
    if precision > MAX_PRECISION {
        return "%!(NOVERB)".into();
    }
    if let Some(name) = named_number(value) {
        return name.into();
    }
    // The server keeps 16 bits of the largest number of digits, with a sign, and eight of the least number.
    let [low, high, ..] = precision.to_le_bytes();
    let digits = match usize::try_from(i16::from_le_bytes([low, high])) {
        Ok(most) => digits(value, most),
        // Adding zero drops the sign of zero.
        Err(_) => (value + 0.0).to_string(),
    };
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", &*digits),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let shortest = fraction.trim_end_matches('0');
    let fraction = format!("{shortest:0<least$}", least = usize::from(low));
    let mut text = String::from(sign);
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(&fraction);
    }
    text
}

/// Writes digits after the point.
fn digits(value: f64, precision: usize) -> String {
    // No float has more digits after the point than these.
    const EXACT: usize = 1074;
    let text = format!("{value:.*}", precision.min(EXACT));
    if value == 0.0 { text.trim_start_matches('-').to_string() } else { text }
}

/// Formats a number with an exponent. cel-go passes the precision as the width.
fn scientific(value: f64, width: usize) -> String {
    let text = named_number(value).map_or_else(|| power_of_ten(value), ToString::to_string);
    if width > MAX_PRECISION {
        return "%!(NOVERB)".into();
    }
    let length = text.chars().count();
    let mut padded: String = core::iter::repeat_n(' ', width.saturating_sub(length)).collect();
    padded.push_str(&text);
    padded
}

fn power_of_ten(value: f64) -> String {
    let text = format!("{value:.PRECISION$e}");
    let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("\u{207B}", exponent),
        None => ("", exponent),
    };
    let number = if value == 0.0 { number.trim_start_matches('-') } else { number };
    let mut power: String = format!("{exponent:0>2}").chars().map(superscript).collect();
    power.insert_str(0, sign);
    format!("{number}\u{D7}10{power}")
}

fn superscript(digit: char) -> char {
    const DIGITS: [char; 10] = [
        '\u{2070}', '\u{B9}', '\u{B2}', '\u{B3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}',
        '\u{2079}',
    ];
    let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
    index.and_then(|index| DIGITS.get(index)).copied().unwrap_or(digit)
}

/// Writes a value as `%s`.
fn plain(item: &Value<'_>, run: &mut Run<'_, '_>) -> Result<String, Stop> {
    Ok(match item {
        Value::Null => "null".into(),
        Value::Text(text) => (**text).to_string(),
        Value::Type(name) => (**name).to_string(),
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) => item.to_string(),
        Value::Double(value) => show::number(*value),
        Value::Bytes(bytes) => match core::str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(_) => {
                return Err(
                    "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string".into(),
                );
            }
        },
        Value::Timestamp(time) => time.format(time.offset),
        Value::Duration(nanos) => seconds(*nanos),
        list if list.is_list() => listed(list, run)?,
        map if map.is_map() => mapped(map, run)?,
        item => {
            let what = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                        durations, and timestamps";
            return Err(given(what, item));
        }
    })
}

/// Writes a value in a list or a map, as CEL writes it.
fn nested(item: &Value<'_>, run: &mut Run<'_, '_>) -> Result<String, Stop> {
    let text = match item {
        Value::Text(text) => quote(text),
        Value::Bytes(_) => format!("b{}", quote(&plain(item, run)?)),
        Value::Timestamp(time) => format!("timestamp({})", quote(&time.format(time.offset))),
        Value::Duration(nanos) => format!("duration({})", quote(&seconds(*nanos))),
        Value::Double(value) => match *value {
            value if value.is_nan() => "\"NaN\"".into(),
            f64::INFINITY => "\"+Inf\"".into(),
            f64::NEG_INFINITY => "\"-Inf\"".into(),
            value => format!("{value:.PRECISION$}"),
        },
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Type(_) => plain(item, run)?,
        item if item.is_list() || item.is_map() => plain(item, run)?,
        item => return Err(format!("no formatting function for {}", item.type_name()).into()),
    };
    run.allocate(text.len())?;
    Ok(text)
}

fn listed(list: &Value<'_>, run: &mut Run<'_, '_>) -> Result<String, Stop> {
    let mut texts = Vec::new();
    for [item, _] in list.each(false).into_iter().flatten() {
        texts.push(nested(&item?, run)?);
    }
    Ok(format!("[{}]", texts.join(", ")))
}

fn mapped(map: &Value<'_>, run: &mut Run<'_, '_>) -> Result<String, Stop> {
    let mut texts = Vec::new();
    for [key, value] in map.each(true).into_iter().flatten() {
        let key = key?;
        let name = match Key::of(&key) {
            Some(Key::Text(text)) => quote(&text),
            Some(Key::Bool(_) | Key::Int(_) | Key::Uint(_)) => key.to_string(),
            _ => return Err(format!("no formatting function for map key of type {}", key.type_name()).into()),
        };
        texts.push((name, nested(&value?, run)?));
    }
    texts.sort_by(|(one, _), (other, _)| one.cmp(other));
    let texts: Vec<String> = texts.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
    Ok(format!("{{{}}}", texts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_in_the_american_way() {
        for (value, precision, expected) in [
            (1_234_567.5, 3, "1,234,567.500"),
            (-1234.5678, 3, "-1,234.568"),
            (2.5, 0, "2"),
            (0.005, 2, "0.01"),
            (-0.0, 1, "0.0"),
            (f64::NEG_INFINITY, 2, "-\u{221E}"),
            (1.0, MAX_PRECISION + 1, "%!(NOVERB)"),
        ] {
            assert_eq!(fixed(value, precision), expected);
        }
        assert_eq!(fixed(1.0, 2000).len(), 2 + 2000 % 256);
        assert_eq!(scientific(1_234_567.891, 2), "1.234568\u{D7}10\u{2070}\u{2076}");
        assert_eq!(scientific(0.000_12, 2), "1.200000\u{D7}10\u{207B}\u{2070}\u{2074}");
        assert_eq!(scientific(f64::NAN, 6), "   NaN");
    }
}
