//! Errors of an evaluation, which are values: `false && error` is false.

use alloc::{borrow::Cow, format, string::String};
use core::fmt;

use super::value::Value;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Stop {
    /// The server's text.
    Failed(Cow<'static, str>),
    /// The cost exceeds the limit. No operator handles this.
    CostLimitExceeded,
    /// The server panics, with this text. No operator handles this.
    Panicked(String),
}

pub(in crate::cel) type Evaluated<'v> = Result<Value<'v>, Stop>;

/// Whether an evaluation ended by what no operator handles.
pub(super) fn is_final<T>(result: &Result<T, Stop>) -> bool {
    result.as_ref().is_err_and(Stop::is_final)
}

impl Stop {
    /// Whether no operator handles this.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self, Self::CostLimitExceeded | Self::Panicked(_))
    }

    pub(super) const fn new(message: &'static str) -> Self {
        Self::Failed(Cow::Borrowed(message))
    }

    /// The error of an operator for types that it does not support.
    pub(super) const NO_OVERLOAD: Self = Self::new("no such overload");

    pub(super) const INT_OVERFLOW: Self = Self::new("integer overflow");

    pub(super) const UINT_OVERFLOW: Self = Self::new("unsigned integer overflow");

    /// The panic of the server on a value that it takes for a list, although it is another one or an error.
    pub(super) fn not_a_list(value: &Evaluated<'_>) -> Self {
        // Go names the first method that the type lacks: `Add`, unless it has that.
        let (found, missing) = match value {
            Err(_) => ("*types.Err", "Add"),
            Ok(value) => (value.go_type(), if value.has_addition() { "Contains" } else { "Add" }),
        };
        Self::Panicked(format!(
            "internal error: interface conversion: {found} is not traits.Lister: missing method {missing}"
        ))
    }

    /// The panic of the server on a key of a map that Go cannot hash.
    pub(super) fn unhashable(key: &Value<'_>) -> Self {
        Self::Panicked(format!("internal error: runtime error: hash of unhashable type {}", key.go_type()))
    }

    /// The panic of the server on a value that it takes for an integer.
    pub(super) fn not_an_int(value: &Evaluated<'_>) -> Self {
        let found = value.as_ref().map_or("*types.Err", Value::go_type);
        Self::Panicked(format!("internal error: interface conversion: ref.Val is {found}, not types.Int"))
    }

    /// The error of an index that is neither a key nor a number.
    pub(super) fn wrong_index(index: &Value<'_>) -> Self {
        Self::from(format!("invalid qualifier type: {}", index.go_type()))
    }

    pub(super) fn no_such_key(key: impl fmt::Display) -> Self {
        Self::from(format!("no such key: {key}"))
    }

    /// The error of a function for arguments of these types.
    pub(super) fn no_such_overload(function: &str, args: &[Value<'_>]) -> Self {
        let mut types = String::new();
        for (at, arg) in args.iter().enumerate() {
            types.push_str(if at == 0 { "" } else { ", " });
            types.push_str(arg.type_name());
        }
        Self::from(format!("no such overload: {function}({types})"))
    }

    /// The error of a conversion to another type.
    pub(super) fn conversion(value: &Value<'_>, to: &str) -> Self {
        Self::from(format!("type conversion error from '{}' to '{to}'", value.type_name()))
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Self::Failed(Cow::Owned(message))
    }
}

impl From<&'static str> for Stop {
    fn from(message: &'static str) -> Self {
        Self::new(message)
    }
}
