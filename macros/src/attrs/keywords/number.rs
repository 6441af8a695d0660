//! The numbers of bounds, such as `minimum = 1` and `max_items = 9`.

use crdkit_core::schema::{NumberBound, Side};
use darling::{Error, Result};
use syn::{Expr, Lit, LitInt, Meta, UnOp};

use super::{finite_f64, value};
use crate::attrs::items;

pub(crate) const OUT_OF_RANGE: &str = "the number is out of range: an integer is between -9223372036854775808 and \
                                       9223372036854775807, and a float at most 1.7976931348623157e308";

pub(super) fn number(bound: NumberBound, item: &Meta) -> Result<Expr> {
    match bound.side() {
        Side::Min | Side::Max => number_literal(item),
        Side::Neither => multiple_of(item),
    }
}

fn number_literal(item: &Meta) -> Result<Expr> {
    let expr = value(item, "0")?;
    match literal(&expr) {
        Some(Lit::Float(float)) if finite_f64(float).is_none() => Err(Error::custom(OUT_OF_RANGE).with_span(&expr)),
        // A float is near such an integer, but is another number.
        Some(Lit::Int(int)) if is_beyond_integers(int, &expr) => Err(Error::custom(OUT_OF_RANGE).with_span(&expr)),
        Some(Lit::Int(_) | Lit::Float(_)) | None => Ok(expr),
        Some(_) => Err(not_a_number(item, &expr)),
    }
}

fn is_beyond_integers(int: &LitInt, expr: &Expr) -> bool {
    match int.base10_parse::<i128>() {
        Ok(value) => i64::try_from(if is_negative(expr) { -value.abs() } else { value }).is_err(),
        Err(_) => true,
    }
}

fn not_a_number(item: &Meta, expr: &Expr) -> Error {
    let key = items::name(item);
    Error::custom(format!("expected a number, as in `{key} = 5`")).with_span(expr)
}

fn multiple_of(item: &Meta) -> Result<Expr> {
    let expr = number_literal(item)?;
    let is_zero = match literal(&expr) {
        Some(Lit::Int(int)) => int.base10_parse().is_ok_and(|value: u64| value == 0),
        Some(Lit::Float(float)) => float.base10_parse().is_ok_and(|value: f64| value == 0.0),
        _ => false,
    };
    if is_zero || is_negative(&expr) {
        return Err(Error::custom("`multiple_of` must be greater than 0").with_span(&expr));
    }
    Ok(expr)
}

pub(super) fn count(item: &Meta) -> Result<Expr> {
    let expr = value(item, "1")?;
    match literal(&expr) {
        Some(Lit::Int(_)) if is_negative(&expr) => {
            Err(Error::custom("expected a number that is not negative").with_span(&expr))
        }
        Some(Lit::Int(int)) if int.base10_parse::<i64>().is_err() => {
            let key = items::name(item);
            let message = format!("the number is out of range: `{key}` is at most 9223372036854775807");
            Err(Error::custom(message).with_span(&expr))
        }
        Some(Lit::Int(_)) | None => Ok(expr),
        Some(_) => {
            let key = items::name(item);
            Err(Error::custom(format!("expected an integer, as in `{key} = 5`")).with_span(&expr))
        }
    }
}

fn is_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && !is_negative(&unary.expr),
        Expr::Group(group) => is_negative(&group.expr),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_digits().starts_with('-'),
            Lit::Float(float) => float.base10_digits().starts_with('-'),
            _ => false,
        },
        _ => false,
    }
}

/// The literal of an expression, without its sign.
fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => literal(&unary.expr),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
