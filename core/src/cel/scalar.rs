//! The types of single values in CEL, also for const evaluation.

use super::types::Type;
use crate::{schema::Kind, text::equal};

/// A type of CEL whose values have no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// An integer with a sign.
    Int,
    /// An integer without a sign, which no schema has.
    Uint,
    /// A number with a fraction.
    Double,
    /// A string.
    String,
    /// The content of a string of the format `byte`.
    Bytes,
    /// A string of the format `date` or `date-time`.
    Timestamp,
    /// A string of the format `duration`.
    Duration,
}

impl Scalar {
    const ALL: [Self; 9] = [
        Self::Null,
        Self::Bool,
        Self::Int,
        Self::Uint,
        Self::Double,
        Self::String,
        Self::Bytes,
        Self::Timestamp,
        Self::Duration,
    ];

    /// Returns the type of the values of a schema; `None` if they have parts or no type.
    pub const fn of(kind: Kind, format: Option<&str>) -> Option<Self> {
        Some(match kind {
            Kind::Boolean => Self::Bool,
            Kind::Integer => Self::Int,
            Kind::Number => Self::Double,
            Kind::String => Self::of_string(format),
            _ => return None,
        })
    }

    /// Returns the type of strings of a format.
    pub const fn of_string(format: Option<&str>) -> Self {
        let Some(format) = format else {
            return Self::String;
        };
        if equal(format, "byte") {
            Self::Bytes
        } else if equal(format, "duration") {
            Self::Duration
        } else if equal(format, "date") || equal(format, "date-time") {
            Self::Timestamp
        } else {
            Self::String
        }
    }

    /// Returns the type with this name in CEL.
    pub const fn named(name: &str) -> Option<Self> {
        let mut at = 0;
        while at < Self::ALL.len() {
            if equal(Self::ALL[at].name(), name) {
                return Some(Self::ALL[at]);
            }
            at += 1;
        }
        None
    }

    /// Returns the name of the type in CEL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
        }
    }

    /// Returns the indefinite article of the name.
    pub const fn article(self) -> &'static str {
        match self {
            Self::Int => "an",
            _ => "a",
        }
    }

    /// Whether null is assignable to the type.
    pub const fn is_nullable(self) -> bool {
        matches!(self, Self::Null | Self::Timestamp | Self::Duration)
    }

    /// Whether the types are the same.
    pub const fn is(self, other: Self) -> bool {
        self as u8 == other as u8
    }

    /// Returns how to write an operator's operands of these types, if they are often confused.
    pub const fn advice(self, other: Self) -> Option<&'static str> {
        Some(match (self, other) {
            (Self::Double, Self::Int) | (Self::Int, Self::Double) => {
                "write the number with a fraction, `1.0`, or convert the other with `double(...)`"
            }
            (Self::String, Self::Int | Self::Uint | Self::Double)
            | (Self::Int | Self::Uint | Self::Double, Self::String) => {
                "write a number as text, `'1'`, or convert the text with `int(...)`"
            }
            (Self::String, Self::Bool) | (Self::Bool, Self::String) => "write `true` and `false` without quotes",
            (Self::Timestamp, Self::String) | (Self::String, Self::Timestamp) => "write `timestamp('...')`",
            (Self::Duration, Self::String) | (Self::String, Self::Duration) => "write `duration('...')`",
            _ => return None,
        })
    }
}

/// The advice about a comparison with null.
pub const ABSENT: &str = "a null field is absent in CEL: use `has(...)`";

impl Type {
    /// Returns the type of single values, if it is one.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Null => Some(Scalar::Null),
            Self::Bool => Some(Scalar::Bool),
            Self::Int => Some(Scalar::Int),
            Self::Uint => Some(Scalar::Uint),
            Self::Double => Some(Scalar::Double),
            Self::String => Some(Scalar::String),
            Self::Bytes => Some(Scalar::Bytes),
            Self::Timestamp => Some(Scalar::Timestamp),
            Self::Duration => Some(Scalar::Duration),
            _ => None,
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool => Self::Bool,
            Scalar::Int => Self::Int,
            Scalar::Uint => Self::Uint,
            Scalar::Double => Self::Double,
            Scalar::String => Self::String,
            Scalar::Bytes => Self::Bytes,
            Scalar::Timestamp => Self::Timestamp,
            Scalar::Duration => Self::Duration,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn names_are_those_of_types() {
        for scalar in Scalar::ALL {
            let type_ = Type::from(scalar);
            assert_eq!(type_.to_string(), scalar.name());
            assert_eq!((type_.scalar(), Scalar::named(scalar.name())), (Some(scalar), Some(scalar)));
        }
        assert_eq!(Scalar::named("list"), None);
    }
}
