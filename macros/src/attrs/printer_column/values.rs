//! What the parts of a column are.

use darling::{Error, FromMeta, Result};
use syn::{Expr, Lit, Meta, UnOp, spanned::Spanned};

use crate::attrs::text::{FromText, Text, from_text, one_of};

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

/// Whether a column is always shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priority(pub(super) i32);

const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "password",
];

from_text!(ColumnType, ColumnFormat, ColumnName, ConditionType);

impl FromText for ColumnType {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| one_of("column type", text, TYPES))
            .map(Self)
    }
}

impl FromText for ColumnFormat {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| one_of("column format", text, FORMATS))
            .map(Self)
    }
}

impl FromText for ColumnName {
    fn from_text(text: Text) -> Result<Self> {
        text.checked(|text| match text {
            "" => Err("the name of the column is empty".to_owned()),
            _ => Ok(()),
        })
        .map(Self)
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
                "`{text}` is not the type of a condition: expected letters, digits, `-`, `_`, `.` \
                 and `/`, such as `Ready`"
            ))
        })
        .map(Self)
    }
}

impl FromMeta for Priority {
    fn from_meta(item: &Meta) -> Result<Self> {
        let form = "expected `priority = 1`: a 32-bit integer, 0 for a column that is always shown";
        match item {
            Meta::NameValue(item) => match integer(&item.value) {
                Some(value) => Ok(Self(value)),
                None => Err(Error::custom(form).with_span(&item.value.span())),
            },
            _ => Err(Error::custom(form).with_span(item)),
        }
    }
}

/// An integer literal; kube-derive also reads it in a string.
fn integer(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(value) => value.base10_parse().ok(),
            Lit::Str(text) => text.value().parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            integer(&unary.expr)?.checked_neg()
        }
        Expr::Group(group) => integer(&group.expr),
        _ => None,
    }
}
