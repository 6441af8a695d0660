//! Why a value cannot be decoded or encoded, before a format makes its own error of it.

use std::fmt;

use serde::de::{Expected, Unexpected};

/// Why a value cannot be decoded or encoded. A format turns it into its own error where serde's derive would make one.
#[derive(Debug)]
pub enum Fault {
    /// The format has reported its own error.
    Reported,
    /// A field is missing.
    MissingField(&'static str),
    /// A list ends too early.
    InvalidLength(usize, &'static str),
    /// The value has another type than the expected one.
    InvalidType(OwnedUnexpected, String),
    /// Any other reason.
    Custom(String),
}

/// What was found instead of the expected value, as [`Unexpected`].
#[derive(Clone, Debug)]
pub enum OwnedUnexpected {
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Char(char),
    Str(String),
    Bytes(Vec<u8>),
    Unit,
    Option,
    NewtypeStruct,
    Seq,
    Map,
    Other(String),
}

impl OwnedUnexpected {
    pub(super) fn borrowed(&self) -> Unexpected<'_> {
        match self {
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Unsigned(value) => Unexpected::Unsigned(*value),
            Self::Signed(value) => Unexpected::Signed(*value),
            Self::Float(value) => Unexpected::Float(*value),
            Self::Char(value) => Unexpected::Char(*value),
            Self::Str(text) => Unexpected::Str(text),
            Self::Bytes(bytes) => Unexpected::Bytes(bytes),
            Self::Unit => Unexpected::Unit,
            Self::Option => Unexpected::Option,
            Self::NewtypeStruct => Unexpected::NewtypeStruct,
            Self::Seq => Unexpected::Seq,
            Self::Map => Unexpected::Map,
            Self::Other(text) => Unexpected::Other(text),
        }
    }
}

/// A text of what is expected.
struct ExpectedText<'a>(&'a str);

impl Expected for ExpectedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Fault {
    /// Returns the error of a format for decoding. `reported` is the format's own.
    pub(super) fn into_de_error<E: serde::de::Error>(self, reported: Option<E>) -> E {
        match self {
            Self::Reported => reported.unwrap_or_else(|| E::custom("the format has no error")),
            Self::MissingField(name) => E::missing_field(name),
            Self::InvalidLength(length, expected) => E::invalid_length(length, &ExpectedText(expected)),
            Self::InvalidType(found, expected) => E::invalid_type(found.borrowed(), &ExpectedText(&expected)),
            Self::Custom(text) => E::custom(text),
        }
    }

    /// Returns the error of a format for encoding. `reported` is the format's own.
    pub(super) fn into_ser_error<E: serde::ser::Error>(self, reported: Option<E>) -> E {
        match (self, reported) {
            (Self::Reported, Some(error)) => error,
            (fault, _) => E::custom(fault),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error: serde::de::value::Error = match self {
            Self::Custom(text) => return f.write_str(text),
            Self::Reported => return f.write_str("the format has no error"),
            Self::MissingField(name) => serde::de::Error::missing_field(name),
            Self::InvalidLength(length, expected) => serde::de::Error::invalid_length(*length, &ExpectedText(expected)),
            Self::InvalidType(found, expected) => {
                serde::de::Error::invalid_type(found.borrowed(), &ExpectedText(expected))
            }
        };
        write!(f, "{error}")
    }
}
