//! Bounds of numbers.

use alloc::{format, string::String};
use core::cmp::Ordering;

use super::{
    ValuePath,
    validate::{Error, Outcome, is_whole},
};
use crate::{
    go::{self, Number},
    schema::SchemaProps,
};

/// The type of a schema with exactly one, numeric type.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum NumberType {
    Integer,
    Number,
}

pub(super) fn check(
    schema: &SchemaProps<'_>,
    type_: Option<NumberType>,
    number: Number,
    path: &ValuePath<'_>,
) -> Outcome {
    let check = Check { type_, format: format_of(schema, type_), number, path };
    let mut outcome = Outcome::default();
    if let Some(error) = check.range(number, "Checked") {
        outcome.add(error);
    }
    let bounds = [
        (schema.multiple_of, "MultipleOf", Bound::Multiple),
        (schema.minimum, "Minimum boundary", Bound::Minimum(schema.exclusive_minimum)),
        (schema.maximum, "Maximum boundary", Bound::Maximum(schema.exclusive_maximum)),
    ];
    for (value, what, bound) in bounds {
        let Some(value) = value else {
            continue;
        };
        let misplaced = check.range(Number::Float(value), what);
        let broken = check.broken(bound, value, misplaced.is_none());
        misplaced.into_iter().chain(broken).for_each(|error| outcome.add(error));
    }
    outcome.matches += 1;
    outcome
}

/// Returns the format, if it bounds numbers of the type.
fn format_of<'s>(schema: &'s SchemaProps<'_>, type_: Option<NumberType>) -> &'s str {
    match (type_, schema.format.as_deref()) {
        (Some(NumberType::Integer), Some(format @ ("int32" | "int64")))
        | (Some(NumberType::Number), Some(format @ ("float" | "double"))) => format,
        _ => "",
    }
}

#[derive(Clone, Copy)]
enum Bound {
    Multiple,
    /// Whether it is excluded.
    Minimum(bool),
    /// Whether it is excluded.
    Maximum(bool),
}

struct Check<'c> {
    type_: Option<NumberType>,
    format: &'c str,
    number: Number,
    path: &'c ValuePath<'c>,
}

impl Check<'_> {
    /// Returns the error about a value or a bound that is out of the range of the type and format.
    fn range(&self, number: Number, what: &str) -> Option<Error> {
        let (type_, fits) = match self.type_ {
            Some(NumberType::Integer) => ("integer", is_integer(number, self.format == "int32")),
            Some(NumberType::Number) => ("number", self.format != "float" || is_single(number)),
            None => return None,
        };
        if fits {
            return None;
        }
        let format = match self.format {
            "" => "(default format)".into(),
            format => format!("with format {format}"),
        };
        let message = format!("{what} value must be of type {type_} {format} in {}", self.path.name());
        Some(Error::of_all(message))
    }

    /// Returns the error about a bound that the number exceeds. As in Go, an integer is compared with the bound without its
    /// fraction.
    fn broken(&self, bound: Bound, value: f64, is_native: bool) -> Option<Error> {
        let integers = match self.number {
            Number::Integer(number) if is_native => Some((number, go::truncated(value))),
            _ => None,
        };
        let number = self.number.as_f64();
        let order = match integers {
            Some((number, value)) => Some(number.cmp(&value)),
            None => number.partial_cmp(&value),
        };
        let (wrong, excluded, what) = match (bound, integers) {
            (Bound::Multiple, Some((number, value))) => {
                return self.multiple_of_integer(number, value);
            }
            (Bound::Multiple, None) => return self.multiple(number, value),
            (Bound::Minimum(excluded), _) => (Ordering::Less, excluded, minimum(excluded)),
            (Bound::Maximum(excluded), _) => (Ordering::Greater, excluded, maximum(excluded)),
        };
        if order != Some(wrong) && !(excluded && order == Some(Ordering::Equal)) {
            return None;
        }
        Some(match integers {
            Some((number, value)) => self.beyond(format!("{number}"), what, &format!("{value}")),
            None => self.beyond(go::number(number), what, &go::number(value)),
        })
    }

    fn multiple_of_integer(&self, number: i64, factor: i64) -> Option<Error> {
        if factor <= 0 {
            return Some(self.factor(&format!("{factor}")));
        }
        (number % factor != 0).then(|| self.beyond(format!("{number}"), "a multiple of", &format!("{factor}")))
    }

    fn multiple(&self, number: f64, factor: f64) -> Option<Error> {
        if factor <= 0.0 {
            return Some(self.factor(&go::number(factor)));
        }
        let quotient = if factor < 1.0 { 1.0 / factor * number } else { number / factor };
        (!is_whole(quotient)).then(|| self.beyond(go::number(number), "a multiple of", &go::number(factor)))
    }

    fn beyond(&self, number: String, what: &str, bound: &str) -> Error {
        let name = self.path.name();
        let message = format!("{name} in body should be {what} {bound}");
        Error::invalid(name, number, message)
    }

    fn factor(&self, factor: &str) -> Error {
        let name = self.path.name();
        let message = format!("factor MultipleOf declared for {name} must be positive: {factor}");
        Error::invalid(name, factor.into(), message)
    }
}

const fn minimum(excluded: bool) -> &'static str {
    if excluded { "greater than" } else { "greater than or equal to" }
}

const fn maximum(excluded: bool) -> &'static str {
    if excluded { "less than" } else { "less than or equal to" }
}

/// Whether a number is an integer of 64 or 32 bits.
fn is_integer(number: Number, is_small: bool) -> bool {
    let integer = number.as_integer();
    integer.is_some_and(|integer| !is_small || i32::try_from(integer).is_ok())
}

/// Whether a number is within the range of 32-bit floats.
#[allow(clippy::cast_possible_truncation)] // the result of the truncation is checked
fn is_single(number: Number) -> bool {
    (number.as_f64() as f32).is_finite()
}
