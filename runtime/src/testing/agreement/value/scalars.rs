//! Numbers and texts.

use serde_json::{Number, Value};

use super::{Unknown, excludes};
use crate::testing::agreement::{formats, node::Node};

/// Whether a value is of one of the types of schemas.
pub(crate) fn has_type(value: &Value, type_: &str) -> bool {
    match type_ {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_number().is_some_and(is_integer),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => false,
    }
}

/// Whether the server takes a number for an integer: one of 64 bits, or a float that stands for no other integer.
fn is_integer(number: &Number) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    let is_whole = |float: f64| float.fract() == 0.0 && float.abs() <= LAST;
    number.is_i64() || number.as_f64().is_some_and(is_whole)
}

pub(super) fn check_number(node: &Node, number: &Number) -> Result<(), String> {
    let keywords = &node.keywords;
    let is_typed_integer = keywords.type_.as_deref() == Some("integer");
    let bounds = [keywords.minimum, keywords.maximum, keywords.multiple_of];
    if is_typed_integer && let Some(bound) = bounds.into_iter().flatten().find(|it| !is_bound(*it))
    {
        return Err(format!("no integer passes the bound {bound}"));
    }
    // Beside an integer, the server cuts the fraction of a bound off.
    let bound = |bound: f64| match number.as_i64() {
        Some(_) => bound.trunc(),
        None => bound,
    };
    let value = number.as_f64().unwrap_or_default();
    let below = |min: f64| value < min || excludes(keywords.exclusive_minimum, value, min);
    let above = |max: f64| value > max || excludes(keywords.exclusive_maximum, value, max);
    if keywords.minimum.map(bound).is_some_and(below)
        || keywords.maximum.map(bound).is_some_and(above)
    {
        return Err(format!("{number} is out of bounds"));
    }
    let is_multiple = |factor: f64| match number.as_i64() {
        Some(integer) => integer.checked_rem(factor as i64) == Some(0),
        None => (value / factor).fract() == 0.0,
    };
    let factor = keywords.multiple_of.map(bound);
    if factor.is_some_and(|factor| factor <= 0.0 || !is_multiple(factor)) {
        return Err(format!("{number} is no multiple"));
    }
    let fits = match (keywords.type_.as_deref(), keywords.format.as_deref()) {
        (Some("integer"), Some("int32")) => {
            (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value)
        }
        (Some("number"), Some("float")) => (value as f32).is_finite(),
        _ => true,
    };
    match fits {
        true => Ok(()),
        false => Err(format!("{number} is too large for its format")),
    }
}

/// Whether the server reads a bound of integers: a whole number of 64 bits.
fn is_bound(bound: f64) -> bool {
    const END: f64 = 9_223_372_036_854_775_808.0;
    bound.fract() == 0.0 && (-END < bound) && bound < END
}

pub(super) fn check_text(node: &Node, text: &str, unknown: Unknown) -> Result<(), String> {
    let keywords = &node.keywords;
    check_size(
        "character",
        text.chars().count(),
        keywords.min_length,
        keywords.max_length,
    )?;
    let is_listed = unknown == Unknown::Accept || node.only.iter().any(|it| it == text);
    if let Some(source) = &keywords.pattern {
        let matches = node.pattern.as_ref().map(|pattern| pattern.is_match(text));
        if !matches.unwrap_or(is_listed) {
            return Err(format!("{text:?} does not match `{source}`"));
        }
    }
    let name = keywords.format.as_deref();
    let Some(format) = name.and_then(formats::format) else {
        return Ok(());
    };
    match format.check {
        Some(check) if check(text) => Ok(()),
        None if is_listed || format.samples.contains(&text) => Ok(()),
        _ => Err(format!("{text:?} is no {}", name.unwrap_or_default())),
    }
}

pub(super) fn check_size(
    what: &str,
    size: usize,
    min: Option<i64>,
    max: Option<i64>,
) -> Result<(), String> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if min.is_some_and(|min| size < min) {
        return Err(format!("it has too few of its parts ({what}): {size}"));
    }
    match max.is_some_and(|max| size > max) {
        true => Err(format!("it has too many of its parts ({what}): {size}")),
        false => Ok(()),
    }
}
