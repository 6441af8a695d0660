//! Literals that the server evaluates while it compiles.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    ast::{Expr, ExprKind, Literal},
    checker::{Checked, literal_type},
    error::Error,
    format,
    functions::overloads,
    types::{Type, is_equivalent},
};
use crate::literal::{
    formats::{is_date, is_go_duration},
    regex::{self, ErrorKind},
};

/// What is wrong with literals of durations, times and regular expressions, and with lists and maps that mix types.
pub(super) fn validate(checked: &Checked) -> Vec<Error> {
    let mut errors = Vec::new();
    for (function, is_right) in [
        ("duration", is_duration as fn(&Literal) -> bool),
        ("timestamp", is_timestamp),
        ("matches", is_regex),
    ] {
        checked.expr.walk(&mut |expr| {
            if let Some((arg, literal)) = first_literal(expr, function)
                && !is_right(literal)
            {
                let mut error = Error::new(arg.at, format!("invalid {function} argument"));
                error.hint = form(function, literal);
                errors.push(error);
            }
        });
    }
    mixed_literals(checked, &checked.expr, &mut errors);
    checked
        .expr
        .walk(&mut |expr| errors.extend(format::check(checked, expr)));
    errors
}

/// Lists and maps that mix types, but in calls of `format`.
fn mixed_literals(checked: &Checked, expr: &Expr, errors: &mut Vec<Error>) {
    match &expr.kind {
        _ if format::is_exempt(expr) => return,
        ExprKind::List(elements) => {
            let items = elements.iter().map(|it| (&it.value, it.is_optional));
            errors.extend(mixed(checked, items).into_iter().take(1));
        }
        ExprKind::Map(entries) => {
            let keys = entries.iter().map(|it| (&it.key, false));
            errors.extend(mixed(checked, keys));
            let values = entries.iter().map(|it| (&it.value, it.is_optional));
            errors.extend(mixed(checked, values));
        }
        _ => {}
    }
    for child in expr.children() {
        mixed_literals(checked, child, errors);
    }
}

fn form(function: &str, literal: &Literal) -> Option<String> {
    match (function, literal) {
        ("duration", _) => Some("write numbers with units, as in `duration('1h30m')`".into()),
        ("timestamp", _) => {
            Some("write a date and a time, as in `timestamp('2006-01-02T15:04:05Z')`".into())
        }
        (_, Literal::String(pattern)) => regex_error(pattern).map(|(_, hint)| hint),
        _ => None,
    }
}

fn first_literal<'e>(expr: &'e Expr, name: &str) -> Option<(&'e Expr, &'e Literal)> {
    let ExprKind::Call { function, args, .. } = &expr.kind else {
        return None;
    };
    let arg = args.first().filter(|_| function == name)?;
    match &arg.kind {
        ExprKind::Literal(literal) => Some((arg, literal)),
        _ => None,
    }
}

/// Those whose type is not that of the first.
fn mixed<'e>(checked: &Checked, items: impl Iterator<Item = (&'e Expr, bool)>) -> Vec<Error> {
    let mut first: Option<Type> = None;
    let mut errors = Vec::new();
    for (item, is_optional) in items {
        let type_ = match &checked.types[item.id] {
            Type::Optional(value) if is_optional => (**value).clone(),
            type_ => type_.clone(),
        };
        match &first {
            None => first = Some(type_),
            Some(first) if !is_equivalent(first, &type_) => errors.push(Error::new(
                item.at,
                format!("expected type '{first}' but found '{type_}'"),
            )),
            Some(_) => {}
        }
    }
    errors
}

fn is_duration(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => is_go_duration(text),
        _ => false,
    }
}

fn is_timestamp(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => unix_time(text).is_some_and(is_in_range),
        Literal::Int(seconds) => is_in_range(*seconds),
        _ => false,
    }
}

/// Of the years 1 to 9999.
const fn is_in_range(seconds: i64) -> bool {
    seconds >= -62_135_596_800 && seconds <= 253_402_300_799
}

/// The seconds since 1970 of a time that Go reads as of RFC 3339, which is more than the RFC allows: hours of one digit, a
/// comma before the fraction, and a zone of up to 24 hours and 60 minutes.
fn unix_time(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix('T').filter(|_| is_date(date))?;
    let (hour, rest) = rest.split_once(':')?;
    let (minute, rest) = rest.split_once(':')?;
    let (second, rest) = rest.split_at_checked(2)?;
    let hour = number(hour, 1..=2, 23)?;
    let minute = number(minute, 2..=2, 59)?;
    let second = number(second, 2..=2, 59)?;
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        _ => rest,
    };
    let zone = match rest {
        "Z" => 0,
        rest => {
            let (sign, rest) = rest.split_at_checked(1)?;
            let (hours, minutes) = rest.split_once(':')?;
            let offset = number(hours, 2..=2, 24)? * 3600 + number(minutes, 2..=2, 60)? * 60;
            match sign {
                "+" => offset,
                "-" => -offset,
                _ => return None,
            }
        }
    };
    let part = |from, to| number(&date[from..to], 1..=4, 9999);
    let days = days(part(0, 4)?, part(5, 7)?, part(8, 10)?);
    Some(days * 86_400 + hour * 3600 + minute * 60 + second - zone)
}

fn number(text: &str, digits: core::ops::RangeInclusive<usize>, most: i64) -> Option<i64> {
    let is_number = digits.contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    let value = text.parse().ok().filter(|_| is_number)?;
    (value <= most).then_some(value)
}

/// Days from 1970 on.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that a leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn is_regex(literal: &Literal) -> bool {
    match literal {
        Literal::String(pattern) => regex_error(pattern).is_none(),
        _ => true,
    }
}

/// What Go says of a regular expression that it refuses, and what to write instead.
fn regex_error(pattern: &str) -> Option<(String, String)> {
    let error = regex::parse(pattern).err()?;
    let (kind, fragment) = (error.kind().as_str(), error.fragment());
    let go = match error.kind() {
        ErrorKind::NestingDepth | ErrorKind::Large => pattern,
        _ => fragment,
    };
    Some((
        format!("error parsing regexp: {kind}: `{go}`"),
        error.to_string(),
    ))
}

/// What is wrong with constants that the server evaluates when it makes a program of an expression.
pub(super) fn program_error(checked: &Checked) -> Option<Error> {
    if let Some((at, name)) = checked.unknown_types.first() {
        let mut error = Error::new(*at, format!("reference to undefined type: {name}"));
        error.hint = Some(format!("write `google.protobuf.{}`", capitalized(name)));
        return Some(error);
    }
    let mut error = None;
    constant(&checked.expr, &mut error);
    error
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// A value that is known.
enum Constant {
    Known(Literal),
    /// One that is not computed here.
    Other,
}

fn constant(expr: &Expr, error: &mut Option<Error>) -> Option<Constant> {
    match &expr.kind {
        ExprKind::Literal(literal) => Some(Constant::Known(literal.clone())),
        ExprKind::Call {
            function,
            target,
            args,
        } => {
            if let Some(target) = target {
                constant(target, error);
            }
            let args: Vec<_> = args
                .iter()
                .map(|arg| (constant(arg, error), arg.at))
                .collect();
            if error.is_some() {
                return None;
            }
            match (function.as_str(), target, args.as_slice()) {
                (_, None, [(Some(Constant::Known(literal)), at)]) => {
                    let Err(message) = converted(function, literal) else {
                        return converted(function, literal).ok().flatten();
                    };
                    *error = Some(Error::new(*at, message));
                    None
                }
                ("matches", None, [_, (Some(Constant::Known(pattern)), at)])
                | ("find" | "findAll", Some(_), [(Some(Constant::Known(pattern)), at), ..]) => {
                    if let Literal::String(pattern) = pattern
                        && let Some((message, hint)) = regex_error(pattern)
                    {
                        let mut wrong = Error::new(*at, message);
                        wrong.hint = Some(hint);
                        *error = Some(wrong);
                    }
                    None
                }
                _ => None,
            }
        }
        _ => {
            for child in expr.children() {
                constant(child, error);
            }
            None
        }
    }
}

/// The value as another type; none if the function does not convert.
fn converted(function: &str, literal: &Literal) -> Result<Option<Constant>, String> {
    let known = |literal| Ok(Some(Constant::Known(literal)));
    let (from, fits) = match (function, literal) {
        ("int", Literal::String(text)) => match go_int(text) {
            Some(value) => return known(Literal::Int(value)),
            None => ("string", false),
        },
        ("uint", Literal::String(text)) => {
            let digits = text.bytes().all(|it| it.is_ascii_digit());
            match text.parse().ok().filter(|_| digits) {
                Some(value) => return known(Literal::Uint(value)),
                None => ("string", false),
            }
        }
        ("double", Literal::String(text)) => ("string", is_go_float(text)),
        ("bool", Literal::String(text)) => ("string", is_go_bool(text)),
        ("int", Literal::Uint(value)) => match i64::try_from(*value) {
            Ok(value) => return known(Literal::Int(value)),
            Err(_) => return Err("integer overflow".into()),
        },
        ("uint", Literal::Int(value)) => match u64::try_from(*value) {
            Ok(value) => return known(Literal::Uint(value)),
            Err(_) => return Err("unsigned integer overflow".into()),
        },
        ("int", Literal::Double(value)) => {
            const END: f64 = 9_223_372_036_854_775_808.0;
            match value.abs() < END {
                true => return Ok(Some(Constant::Other)),
                false => return Err("integer overflow".into()),
            }
        }
        ("uint", Literal::Double(value)) => {
            match *value >= 0.0 && *value < 18_446_744_073_709_551_616.0 {
                true => return Ok(Some(Constant::Other)),
                false => return Err("unsigned integer overflow".into()),
            }
        }
        ("string", Literal::Bytes(bytes)) => match String::from_utf8(bytes.clone()) {
            Ok(text) => return known(Literal::String(text)),
            Err(_) => return Err("invalid UTF-8 in bytes, cannot convert to string".into()),
        },
        ("string", Literal::Int(value)) => return known(Literal::String(format!("{value}"))),
        ("string", Literal::Uint(value)) => return known(Literal::String(format!("{value}"))),
        ("string", Literal::Bool(value)) => return known(Literal::String(format!("{value}"))),
        ("dyn", literal) => return known(literal.clone()),
        ("bool" | "bytes" | "double" | "int" | "string" | "uint", literal) => {
            let same = matches!(
                (function, literal),
                ("bool", Literal::Bool(_))
                    | ("bytes", Literal::Bytes(_))
                    | ("double", Literal::Double(_))
                    | ("int", Literal::Int(_))
                    | ("string", Literal::String(_))
                    | ("uint", Literal::Uint(_))
            );
            let has_overload = overloads(function)
                .iter()
                .any(|it| it.args == [literal_type(literal)]);
            return match (same, has_overload) {
                (true, _) => known(literal.clone()),
                (false, true) => Ok(Some(Constant::Other)),
                (false, false) => Err(no_overload(function, literal)),
            };
        }
        ("duration", Literal::String(text)) => ("string", is_go_duration(text)),
        ("timestamp", Literal::String(_)) => ("string", is_timestamp(literal)),
        ("timestamp", Literal::Int(_)) if is_timestamp(literal) => {
            return Ok(Some(Constant::Other));
        }
        ("timestamp", Literal::Int(_)) => return Err("timestamp overflow".into()),
        ("duration" | "timestamp", literal) => return Err(no_overload(function, literal)),
        ("type", _) => return Ok(Some(Constant::Other)),
        _ => return Ok(None),
    };
    match fits {
        true => Ok(Some(Constant::Other)),
        false => Err(format!(
            "type conversion error from '{from}' to '{}'",
            named(function)
        )),
    }
}

/// The type that a function converts to.
fn named(function: &str) -> &str {
    match function {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        function => function,
    }
}

fn no_overload(function: &str, literal: &Literal) -> String {
    let type_ = match literal_type(literal) {
        Type::Null => "null_type".into(),
        type_ => type_.to_string(),
    };
    format!("no such overload: {function}({type_})")
}

fn go_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn is_go_bool(text: &str) -> bool {
    matches!(
        text,
        "1" | "t" | "T" | "TRUE" | "true" | "True" | "0" | "f" | "F" | "FALSE" | "false" | "False"
    )
}

fn is_go_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        return true; // hexadecimal, which nobody writes
    }
    let is_named = unsigned.starts_with(|c: char| c.is_ascii_alphabetic());
    text.parse()
        .is_ok_and(|value: f64| is_named || value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(unix_time("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_time("2024-02-29T1:02:03,5+01:00"), Some(1_709_164_923));
        for (text, is_right) in [
            ("2024-02-30T00:00:00Z", false),
            ("2024-01-01", false),
            ("2024-01-01T24:00:00Z", false),
            ("2024-01-01T00:00:00", false),
            ("2024-01-01t00:00:00Z", false),
            ("2024-01-01T00:00:00.123456789+24:60", true),
            ("0000-01-01T00:00:00Z", false),
            ("0001-01-01T00:00:00Z", true),
            ("9999-12-31T23:59:59-00:01", false),
        ] {
            assert_eq!(
                is_timestamp(&Literal::String(text.into())),
                is_right,
                "{text}"
            );
        }
    }

    #[test]
    fn conversions() {
        let is_wrong = |function, literal| converted(function, &literal).is_err();
        let text = |text: &str| Literal::String(text.into());
        assert!(is_wrong("int", text("a")) && !is_wrong("int", text("+5")));
        assert!(is_wrong("uint", text("+5")) && is_wrong("uint", Literal::Int(-1)));
        assert!(is_wrong("double", text("1e999")) && !is_wrong("double", text("inf")));
        assert!(is_wrong("bool", text("yes")) && !is_wrong("bool", text("True")));
        assert!(is_wrong("int", Literal::Double(1e19)) && !is_wrong("int", Literal::Double(1.5)));
        assert!(is_wrong("string", Literal::Bytes(alloc::vec![0xff])));
    }
}
