//! Conversions of types.

use alloc::{
    format,
    string::{String, ToString},
};

use super::{Function, no_overload};
use crate::{
    cel::evaluate::{
        Run,
        error::{Evaluated, Stop},
        library::LibraryValue,
        program::Call,
        time::Timestamp,
        value::Value,
    },
    literal::{formats::go_duration, times::is_in_range},
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "bool" => to_bool,
        "bytes" => to_bytes,
        "double" => to_double,
        "duration" => to_duration,
        "dyn" => |_, args, _| Ok(core::mem::take(&mut args[0])),
        "int" => to_int,
        "string" => to_text,
        "timestamp" => to_timestamp,
        "type" => |_, args, _| Ok(Value::Type(args[0].type_name().into())),
        "uint" => to_uint,
        _ => return None,
    })
}

fn to_bool<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Bool(_)] => Ok(core::mem::take(value)),
        [value @ Value::Text(_)] => parsed(value, "bool", |text| go_bool(text).map(Value::Bool)),
        args => no_overload(call, args),
    }
}

/// Converts a string to a value.
fn parsed<'v>(value: &Value<'v>, to: &str, parse: impl FnOnce(&str) -> Option<Value<'v>>) -> Evaluated<'v> {
    let found = match value {
        Value::Text(text) => parse(text),
        _ => None,
    };
    found.ok_or_else(|| Stop::conversion(value, to))
}

fn to_bytes<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Bytes(_)] => Ok(core::mem::take(value)),
        [Value::Text(text)] => {
            run.allocate(text.len())?;
            Ok(Value::Bytes(text.as_bytes().into()))
        }
        args => no_overload(call, args),
    }
}

#[allow(clippy::cast_precision_loss)] // as Go converts them
fn to_double<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Double(_)] => Ok(core::mem::take(value)),
        [Value::Int(value)] => Ok(Value::Double(*value as f64)),
        [Value::Uint(value)] => Ok(Value::Double(*value as f64)),
        [value @ Value::Text(_)] => parsed(value, "double", |text| go_float(text).map(Value::Double)),
        args => no_overload(call, args),
    }
}

const DURATION: &str = "google.protobuf.Duration";
const TIMESTAMP: &str = "google.protobuf.Timestamp";

fn to_duration<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Duration(_)] => Ok(core::mem::take(value)),
        [value @ Value::Text(_)] => parsed(value, DURATION, |text| go_duration(text).map(Value::Duration)),
        args => no_overload(call, args),
    }
}

const INT_END: f64 = 9_223_372_036_854_775_808.0;
const UINT_END: f64 = 18_446_744_073_709_551_616.0;

#[allow(clippy::cast_possible_truncation)] // within the bounds
fn to_int<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Int(_)] => Ok(core::mem::take(value)),
        [Value::Uint(value)] => i64::try_from(*value).map(Value::Int).map_err(|_| Stop::INT_OVERFLOW),
        [Value::Double(value)] if value.abs() < INT_END => Ok(Value::Int(*value as i64)),
        [Value::Double(_)] => Err(Stop::INT_OVERFLOW),
        [Value::Duration(nanos)] => Ok(Value::Int(*nanos)),
        [Value::Timestamp(time)] => Ok(Value::Int(time.seconds)),
        [value @ Value::Text(_)] => parsed(value, "int", |text| text.parse().ok().map(Value::Int)),
        args => no_overload(call, args),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the bounds
fn to_uint<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value @ Value::Uint(_)] => Ok(core::mem::take(value)),
        [Value::Int(value)] => u64::try_from(*value).map(Value::Uint).map_err(|_| Stop::UINT_OVERFLOW),
        [Value::Double(value)] if *value >= 0.0 && *value < UINT_END => Ok(Value::Uint(*value as u64)),
        [Value::Double(_)] => Err(Stop::UINT_OVERFLOW),
        [value @ Value::Text(_)] => parsed(value, "uint", |text| {
            let is_number = text.bytes().all(|it| it.is_ascii_digit());
            text.parse().ok().filter(|_| is_number).map(Value::Uint)
        }),
        args => no_overload(call, args),
    }
}

fn to_timestamp<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let overflow = || Err("timestamp overflow".into());
    match args {
        [value @ Value::Timestamp(_)] => Ok(core::mem::take(value)),
        [Value::Int(seconds)] if is_in_range(*seconds) => Ok(Value::Timestamp(Timestamp::of_unix(*seconds))),
        [Value::Int(_)] => overflow(),
        [value @ Value::Text(_)] => {
            match parsed(value, TIMESTAMP, |text| Timestamp::parse(text).map(Value::Timestamp))? {
                Value::Timestamp(time) if !is_in_range(time.seconds) => overflow(),
                time => Ok(time),
            }
        }
        args => no_overload(call, args),
    }
}

fn to_text<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let text = match args {
        [value @ Value::Text(_)] => return Ok(core::mem::take(value)),
        [Value::Bytes(bytes)] => match core::str::from_utf8(bytes) {
            Ok(text) => text.to_string(),
            Err(_) => return Err("invalid UTF-8 in bytes, cannot convert to string".into()),
        },
        [Value::Duration(nanos)] => seconds(*nanos),
        [Value::Timestamp(time)] => time.format(time.offset),
        [value @ (Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_))] => value.to_string(),
        [Value::Library(value)] if matches!(**value, LibraryValue::Ip(_) | LibraryValue::Cidr(_)) => value.to_string(),
        args => return no_overload(call, args),
    };
    Ok(Value::text(text))
}

/// Formats a duration in seconds.
#[allow(clippy::cast_precision_loss)] // as Go writes it
pub(super) fn seconds(nanos: i64) -> String {
    // Go adds the fraction to the whole seconds.
    let whole = nanos / 1_000_000_000;
    let fraction = nanos % 1_000_000_000;
    format!("{}s", whole as f64 + fraction as f64 / 1e9)
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
