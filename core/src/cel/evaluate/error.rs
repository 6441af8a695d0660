//! Errors of an evaluation, which are values: `false && error` is false.

use alloc::{borrow::Cow, boxed::Box, format, string::String};
use core::fmt;

use super::value::Value;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Stop {
    /// One of the errors that operators return.
    Known(KnownError),
    /// The server's text.
    Failed(Message),
    /// The cost exceeds the limit. No operator handles this.
    CostLimitExceeded,
    /// The server panics, with this text. No operator handles this.
    Panicked(Message),
}

/// A text of one word: results are moved with each step, so an error is not larger than a value.
pub(in crate::cel) type Message = Box<Cow<'static, str>>;

/// An error of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum KnownError {
    NoOverload,
    IntOverflow,
    UintOverflow,
    DivisionByZero,
    ModulusByZero,
}

impl KnownError {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::NoOverload => "no such overload",
            Self::IntOverflow => "integer overflow",
            Self::UintOverflow => "unsigned integer overflow",
            Self::DivisionByZero => "division by zero",
            Self::ModulusByZero => "modulus by zero",
        }
    }
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

    /// Returns the server's text, if an expression can handle the error.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Known(error) => Some(error.text()),
            Self::Failed(text) => Some(text),
            Self::CostLimitExceeded | Self::Panicked(_) => None,
        }
    }

    fn panicked(message: String) -> Self {
        Self::Panicked(Box::new(message.into()))
    }

    /// The error of an operator for types that it does not support.
    pub(super) const NO_OVERLOAD: Self = Self::Known(KnownError::NoOverload);

    pub(super) const INT_OVERFLOW: Self = Self::Known(KnownError::IntOverflow);

    pub(super) const UINT_OVERFLOW: Self = Self::Known(KnownError::UintOverflow);

    pub(super) const DIVISION_BY_ZERO: Self = Self::Known(KnownError::DivisionByZero);

    pub(super) const MODULUS_BY_ZERO: Self = Self::Known(KnownError::ModulusByZero);

    /// The panic of the server on a value that it takes for a list, although it is another one or an error.
    pub(super) fn not_a_list(value: Option<&Value<'_>>) -> Self {
        // Go names the first method that the type lacks: `Add`, unless it has that.
        let (found, missing) = match value {
            None => ("*types.Err", "Add"),
            Some(value) => (value.go_type(), if value.has_addition() { "Contains" } else { "Add" }),
        };
        Self::panicked(format!(
            "internal error: interface conversion: {found} is not traits.Lister: missing method {missing}"
        ))
    }

    /// The panic of the server on a key of a map that Go cannot hash.
    pub(super) fn unhashable(key: &Value<'_>) -> Self {
        Self::panicked(format!("internal error: runtime error: hash of unhashable type {}", key.go_type()))
    }

    /// The panic of the server on a value that it takes for an integer.
    pub(super) fn not_an_int(value: Option<&Value<'_>>) -> Self {
        let found = value.map_or("*types.Err", Value::go_type);
        Self::panicked(format!("internal error: interface conversion: ref.Val is {found}, not types.Int"))
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
        Self::Failed(Box::new(message.into()))
    }
}

impl From<&'static str> for Stop {
    fn from(message: &'static str) -> Self {
        Self::Failed(Box::new(message.into()))
    }
}
