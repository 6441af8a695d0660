//! Why a value cannot be decoded or encoded, before a format makes its own error of it.

use std::fmt;

/// Why a value cannot be decoded or encoded. A format turns it into its own error where serde's derive would make one.
///
/// It has the size of a pointer, since each value is decoded to a result with it.
#[derive(Debug)]
pub struct Fault(Option<Box<Reason>>);

#[derive(Debug)]
enum Reason {
    MissingField(&'static str),
    Custom(String),
}

impl Fault {
    /// The format has its own error.
    pub(super) const REPORTED: Self = Self(None);

    /// A field is missing.
    #[cold]
    pub(super) fn missing_field(name: &'static str) -> Self {
        Self(Some(Box::new(Reason::MissingField(name))))
    }

    /// Any other reason.
    #[cold]
    pub(super) fn custom(text: impl fmt::Display) -> Self {
        Self(Some(Box::new(Reason::Custom(text.to_string()))))
    }

    /// Returns the error of a format for decoding. `reported` is the format's own.
    #[cold]
    pub(super) fn into_de_error<E: serde::de::Error>(self, reported: Option<E>) -> E {
        match self.0.map(|reason| *reason) {
            None => reported.unwrap_or_else(|| E::custom(Self::REPORTED)),
            Some(Reason::MissingField(name)) => E::missing_field(name),
            Some(Reason::Custom(text)) => E::custom(text),
        }
    }

    /// Returns the error of a format for encoding. `reported` is the format's own.
    #[cold]
    pub(super) fn into_ser_error<E: serde::ser::Error>(self, reported: Option<E>) -> E {
        match (self.0, reported) {
            (None, Some(error)) => error,
            (reason, _) => E::custom(Self(reason)),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_deref() {
            None => f.write_str("the format has no error"),
            Some(Reason::MissingField(name)) => write!(f, "missing field `{name}`"),
            Some(Reason::Custom(text)) => f.write_str(text),
        }
    }
}
