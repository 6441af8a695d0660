//! Type conversions of constants.

use alloc::{format, string::String};

use super::super::{ast::Literal, functions::overloads, types::Type};
use crate::{
    go,
    literal::{
        formats::go_duration,
        times::{format_unix_time, is_in_range, unix_time},
    },
};

/// A constant value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cel) enum Constant {
    Literal(Literal),
    /// A Unix time, and the time as a string.
    Timestamp(i64, String),
    /// Nanoseconds.
    Duration(i64),
    Type,
    List,
    Map,
}

impl Constant {
    /// Returns the name of the type at run time.
    fn type_name(&self) -> &'static str {
        match self {
            Self::Literal(Literal::Null) => "null_type",
            Self::Literal(Literal::Bool(_)) => "bool",
            Self::Literal(Literal::Int(_)) => "int",
            Self::Literal(Literal::Uint(_)) => "uint",
            Self::Literal(Literal::Double(_)) => "double",
            Self::Literal(Literal::String(_)) => "string",
            Self::Literal(Literal::Bytes(_)) => "bytes",
            Self::Timestamp(..) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type => "type",
            Self::List => "list",
            Self::Map => "map",
        }
    }

    fn type_(&self) -> Option<Type> {
        Some(match self {
            Self::Literal(literal) => super::super::checker::literal_type(literal),
            Self::Timestamp(..) => Type::Timestamp,
            Self::Duration(_) => Type::Duration,
            Self::Type | Self::List | Self::Map => return None,
        })
    }

    /// Returns the Go name of the type, if the value cannot be an index of a list or a map.
    pub(super) const fn unusable_as_index(&self) -> Option<&'static str> {
        match self {
            Self::Literal(Literal::Null) => Some("types.Null"),
            Self::Literal(Literal::Bytes(_)) => Some("types.Bytes"),
            Self::Literal(_) => None,
            Self::Timestamp(..) => Some("types.Timestamp"),
            Self::Duration(_) => Some("types.Duration"),
            Self::Type => Some("*types.Type"),
            Self::List => Some("*types.baseList"),
            Self::Map => Some("*types.baseMap"),
        }
    }
}

/// Converts a value to another type; `None` if the function is not a conversion.
pub(in crate::cel) fn converted(function: &str, value: &Constant) -> Result<Option<Constant>, String> {
    match function {
        "dyn" => return Ok(Some(value.clone())),
        "type" => return Ok(Some(Constant::Type)),
        "bool" | "bytes" | "double" | "duration" | "int" | "string" | "timestamp" | "uint" => {}
        _ => return Ok(None),
    }
    let type_name = value.type_name();
    let known = overloads(function);
    let type_ = value.type_();
    if !type_.is_some_and(|type_| known.iter().any(|it| it.args[..] == [type_.clone()])) {
        return Err(format!("no such overload: {function}({type_name})"));
    }
    if type_name == named(function) {
        return Ok(Some(value.clone()));
    }
    let converted = match value {
        Constant::Literal(Literal::String(text)) => of_text(function, text),
        Constant::Literal(Literal::Bytes(bytes)) => match String::from_utf8(bytes.clone()) {
            Ok(text) => Some(Constant::Literal(Literal::String(text))),
            Err(_) => return Err("invalid UTF-8 in bytes, cannot convert to string".into()),
        },
        Constant::Timestamp(seconds, text) => Some(Constant::Literal(match function {
            "int" => Literal::Int(*seconds),
            _ => Literal::String(text.clone()),
        })),
        Constant::Duration(nanos) => Some(Constant::Literal(match function {
            "int" => Literal::Int(*nanos),
            _ => Literal::String(seconds(*nanos)),
        })),
        Constant::Literal(literal) if function == "string" => Some(Constant::Literal(Literal::String(shown(literal)))),
        Constant::Literal(number) => return of_number(function, number).map(Some),
        Constant::Type | Constant::List | Constant::Map => None,
    };
    converted.map(Some).ok_or_else(|| {
        let to = named(function);
        format!("type conversion error from '{type_name}' to '{to}'")
    })
}

/// Returns the target type of a conversion function.
fn named(function: &str) -> &str {
    match function {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        function => function,
    }
}

fn of_text(function: &str, text: &str) -> Option<Constant> {
    let literal = match function {
        "bool" => Literal::Bool(go_bool(text)?),
        "bytes" => Literal::Bytes(text.as_bytes().into()),
        "double" => Literal::Double(go_float(text)?),
        "int" => Literal::Int(text.parse().ok()?),
        "uint" => {
            let is_number = text.bytes().all(|it| it.is_ascii_digit());
            Literal::Uint(text.parse().ok().filter(|_| is_number)?)
        }
        "duration" => return go_duration(text).map(Constant::Duration),
        _ => {
            let seconds = unix_time(text).filter(|seconds| is_in_range(*seconds))?;
            return Some(Constant::Timestamp(seconds, text.into()));
        }
    };
    Some(Constant::Literal(literal))
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as Go converts them, within the bounds
fn of_number(function: &str, number: &Literal) -> Result<Constant, String> {
    const INT_END: f64 = 9_223_372_036_854_775_808.0;
    const UINT_END: f64 = 18_446_744_073_709_551_616.0;
    let literal = match (function, number) {
        ("timestamp", Literal::Int(seconds)) => {
            return if is_in_range(*seconds) {
                Ok(Constant::Timestamp(*seconds, format_unix_time(*seconds)))
            } else {
                Err("timestamp overflow".into())
            };
        }
        ("double", Literal::Int(value)) => Some(Literal::Double(*value as f64)),
        ("double", Literal::Uint(value)) => Some(Literal::Double(*value as f64)),
        ("int", Literal::Uint(value)) => i64::try_from(*value).ok().map(Literal::Int),
        ("int", Literal::Double(value)) => (value.abs() < INT_END).then_some(Literal::Int(*value as i64)),
        ("uint", Literal::Int(value)) => u64::try_from(*value).ok().map(Literal::Uint),
        ("uint", Literal::Double(value)) => {
            (*value >= 0.0 && *value < UINT_END).then_some(Literal::Uint(*value as u64))
        }
        _ => None,
    };
    literal.map(Constant::Literal).ok_or_else(|| match function {
        "uint" => "unsigned integer overflow".into(),
        _ => "integer overflow".into(),
    })
}

fn shown(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => format!("{value}"),
        Literal::Int(value) => format!("{value}"),
        Literal::Uint(value) => format!("{value}"),
        Literal::Double(value) => go::number(*value),
        _ => String::new(),
    }
}

#[allow(clippy::cast_precision_loss)] // as Go writes it
fn seconds(nanos: i64) -> String {
    format!("{}s", nanos as f64 / 1e9)
}

fn go_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

fn go_float(text: &str) -> Option<f64> {
    let text = &*without_separators(text)?;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(hexadecimal) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let value = hexadecimal_float(hexadecimal)?;
        return Some(if text.starts_with('-') { -value } else { value });
    }
    let is_named = unsigned.starts_with(|c: char| c.is_ascii_alphabetic());
    let value: f64 = text.parse().ok()?;
    let is_right = if value.is_nan() { unsigned == text } else { is_named || value.is_finite() };
    is_right.then_some(value)
}

/// Removes the `_` between digits; `None` if a `_` is elsewhere.
fn without_separators(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    let digits = if is_hexadecimal { &unsigned[2..] } else { unsigned };
    let is_digit = |c: &char| c.is_digit(if is_hexadecimal { 16 } else { 10 });
    let mut is_behind_digit = is_hexadecimal;
    let mut rest = digits.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter == '_' && !(is_behind_digit && rest.peek().is_some_and(is_digit)) {
            return None;
        }
        is_behind_digit = is_digit(&letter);
    }
    Some(text.replace('_', ""))
}

/// Parses a hexadecimal float such as `1.8p-3`.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    exponent = exponent.saturating_sub(i32::try_from(fraction.len()).ok()?.saturating_mul(4));
    let factor = if exponent < 0 { 0.5 } else { 2.0 };
    for _ in 0..exponent.unsigned_abs().min(5000) {
        value *= factor;
    }
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Constant {
        Constant::Literal(Literal::String(text.into()))
    }

    #[test]
    fn mistakes() {
        let is_wrong = |function, value: Constant| converted(function, &value).is_err();
        let number = |number| Constant::Literal(number);
        assert!(is_wrong("int", text("a")) && !is_wrong("int", text("+5")));
        assert!(is_wrong("uint", text("+5")) && is_wrong("uint", number(Literal::Int(-1))));
        assert!(is_wrong("double", text("1e999")) && !is_wrong("double", text("inf")));
        assert!(is_wrong("double", text("+nan")) && !is_wrong("double", text("NaN")));
        assert!(is_wrong("double", text("1__0")) && is_wrong("double", text("1_.0")));
        assert!(!is_wrong("double", text("1_0")) && !is_wrong("double", text("0x_1p1")));
        assert!(is_wrong("double", text("0x1")) && !is_wrong("double", text("-0x1.8p-1")));
        assert!(is_wrong("bool", text("yes")) && !is_wrong("bool", text("True")));
        assert!(is_wrong("int", number(Literal::Double(1e19))));
        assert!(!is_wrong("int", number(Literal::Double(1.5))));
        assert!(is_wrong("string", number(Literal::Bytes(alloc::vec![0xff]))));
        assert!(is_wrong("int", Constant::List) && is_wrong("string", Constant::Type));
    }

    #[test]
    fn one_after_the_other() {
        for (functions, from, to) in [
            (&["double", "int", "string"][..], "1e3", Some("1000")),
            (&["double", "string"], "1e30", Some("1e+30")),
            (&["double", "int"], "1e30", None),
            (&["duration", "int", "string"], "1.5s", Some("1500000000")),
            (&["duration", "string"], "1h", Some("3600s")),
            (&["timestamp", "int", "string"], "1970-01-01T00:00:01Z", Some("1")),
            (&["int", "timestamp", "string"], "0", Some("1970-01-01T00:00:00Z")),
            (&["bytes", "string", "uint", "string"], "07", Some("7")),
            (&["double", "string"], "-0x1.8p1", Some("-3")),
        ] {
            let mut value = Some(text(from));
            for function in functions {
                value = value.and_then(|value| converted(function, &value).ok().flatten());
            }
            assert_eq!(value, to.map(text), "{functions:?} {from}");
        }
    }
}
