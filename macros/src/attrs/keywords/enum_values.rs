//! `enum_values = ["a", "b"]`.

use std::collections::HashSet;

use darling::{Error, Result};
use proc_macro2::Span;
use syn::{Expr, Lit, LitFloat, Meta, UnOp, spanned::Spanned};

use super::OUT_OF_RANGE;
use crate::attrs::items;

/// One of the values, with its span.
pub(crate) struct EnumValue {
    pub(crate) literal: Scalar,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Text(String),
    Integer(i64),
    Number(f64),
}

const EXPECTED: &str = "expected a list of values, as in `enum_values = [\"a\", \"b\"]`";

pub(super) fn parse(item: &Meta) -> Result<Vec<EnumValue>> {
    let Meta::NameValue(named) = item else {
        return Err(Error::custom(EXPECTED).with_span(item));
    };
    let Some(elements) = elements(&named.value) else {
        return Err(Error::custom(EXPECTED).with_span(&named.value));
    };
    let mut errors = Error::accumulator();
    let (mut values, mut seen) = (Vec::new(), HashSet::new());
    for element in elements {
        let Some(value) = errors.handle(value(element)) else {
            continue;
        };
        let is_new = seen.insert(format!("{:?}", value.literal));
        if let Some(mistake) = conflict(&value, values.first(), is_new) {
            errors.push(Error::custom(mistake).with_span(element));
        }
        values.push(value);
    }
    if values.is_empty() && items::no_errors(&mut errors) {
        errors.push(Error::custom("the list is empty: add at least one value").with_span(&named.value));
    }
    errors.finish_with(values)
}

fn elements(expr: &Expr) -> Option<impl Iterator<Item = &Expr>> {
    match expr {
        Expr::Array(array) => Some(array.elems.iter()),
        Expr::Group(group) => match &*group.expr {
            Expr::Array(array) => Some(array.elems.iter()),
            _ => None,
        },
        _ => None,
    }
}

/// The conflict of a value with those before it, if there is one.
fn conflict(value: &EnumValue, first: Option<&EnumValue>, is_new: bool) -> Option<&'static str> {
    let is_text = |value: &EnumValue| matches!(value.literal, Scalar::Text(_));
    if !is_new {
        return Some("duplicate value");
    }
    let differs = first.is_some_and(|first| is_text(first) != is_text(value));
    differs.then_some("strings and numbers cannot be mixed: list values of one type")
}

fn value(expr: &Expr) -> Result<EnumValue> {
    match scalar(expr) {
        Some(literal) => Ok(EnumValue { literal, span: expr.span() }),
        None => Err(Error::custom(mistake(expr)).with_span(expr)),
    }
}

fn mistake(expr: &Expr) -> &'static str {
    match expr {
        Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_) | Lit::Float(_)) => OUT_OF_RANGE,
        _ => "expected a string or a number",
    }
}

/// A string, or a number with its sign.
pub(crate) fn scalar(expr: &Expr) -> Option<Scalar> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(Scalar::Text(text.value())),
            Lit::Int(int) => int.base10_parse().ok().map(Scalar::Integer),
            Lit::Float(float) => finite_f64(float).map(Scalar::Number),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => negative(&unary.expr),
        Expr::Group(group) => scalar(&group.expr),
        _ => None,
    }
}

/// The number of a literal after a minus. `i64::MIN` can only be parsed with its sign.
fn negative(expr: &Expr) -> Option<Scalar> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => {
                let digits = format!("-{}", int.base10_digits());
                digits.parse().ok().map(Scalar::Integer)
            }
            Lit::Float(float) => finite_f64(float).map(|value| Scalar::Number(-value)),
            _ => None,
        },
        Expr::Group(group) => negative(&group.expr),
        _ => None,
    }
}

/// The value of a literal; none if it is infinite.
pub(crate) fn finite_f64(float: &LitFloat) -> Option<f64> {
    let value = float.base10_parse::<f64>().ok();
    value.filter(|value| value.is_finite())
}
