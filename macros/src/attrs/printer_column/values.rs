//! The values of a column's items.

use crdkit_core::rules::columns::{format_is_supported, name_is_given, type_is_supported};
use darling::{Error, FromMeta, Result};
use syn::{Expr, Lit, Meta, UnOp, spanned::Spanned};

use crate::attrs::text::{FromText, Text, check_result, from_text};

/// The `type` of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnType(pub(crate) Text);

/// The `format` of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFormat(pub(crate) Text);

/// The header of a column.
#[derive(Clone, Debug)]
pub(super) struct ColumnName(pub(super) Text);

/// The type of a condition.
#[derive(Clone, Debug)]
pub(super) struct ConditionType(pub(super) Text);

/// The `priority` of a column: those above 0 are shown by `-o wide` only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priority(pub(super) i32);

from_text!(ColumnType, ColumnFormat, ColumnName, ConditionType);

impl FromText for ColumnType {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| check_result(type_is_supported(text))).map(Self)
    }
}

impl FromText for ColumnFormat {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| check_result(format_is_supported(text))).map(Self)
    }
}

impl FromText for ColumnName {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| check_result(name_is_given(text))).map(Self)
    }
}

impl FromText for ConditionType {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
            if !text.is_empty() && text.chars().all(fits) {
                return Ok(());
            }
            Err(format!(
                "`{text}` is not a condition type: expected letters, digits, `-`, `_`, `.` and `/`, such as `Ready`"
            ))
        })
        .map(Self)
    }
}

impl FromMeta for Priority {
    fn from_meta(item: &Meta) -> Result<Self> {
        let expected = "expected `priority = 1`: a 32-bit integer, 0 for a column that is always shown";
        let Meta::NameValue(item) = item else {
            return Err(Error::custom(expected).with_span(item));
        };
        match integer(&item.value).map(i32::try_from) {
            Some(Ok(value)) => Ok(Self(value)),
            Some(Err(_)) => {
                let message = "the priority is too large: it is a 32-bit integer, from -2147483648 to 2147483647";
                Err(Error::custom(message).with_span(&item.value.span()))
            }
            None => Err(Error::custom(expected).with_span(&item.value.span())),
        }
    }
}

/// An integer literal, at most `i128::MAX`. Like kube-derive, also accepts one in a string.
fn integer(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => Some(value.base10_parse().unwrap_or(i128::MAX)),
            Lit::Str(text) => text.value().parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => integer(&unary.expr).map(|value| -value),
        Expr::Group(group) => integer(&group.expr),
        _ => None,
    }
}
