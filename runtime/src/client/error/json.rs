mod redacted;

use std::fmt;

pub(super) use self::redacted::quoted_end;
use self::redacted::redacted;
use crate::client::limits::{MAX_DEPTH, too_deep};

/// What serde_json says is wrong, without the values of the document.
///
/// Its texts, those of `Debug` too, name types, fields and places. Where serde_json or a type's own `Deserialize` or
/// `Serialize` quotes a value, or may do so, that is left out; [`unredacted`](Self::unredacted) has all of it. There is no
/// `source()`, since errors are often written with all their sources.
pub struct JsonError {
    message: String,
    inner: serde_json::Error,
    /// How deep the document may be nested, if it is nested deeper.
    allowed_depth: Option<usize>,
}

impl JsonError {
    /// The whole error. Its texts may hold values of the document.
    pub fn unredacted(&self) -> &serde_json::Error {
        &self.inner
    }

    /// As [`unredacted`](Self::unredacted), by value.
    pub fn into_unredacted(self) -> serde_json::Error {
        self.inner
    }

    /// The line, from 1; 0 if it is not known.
    pub fn line(&self) -> usize {
        self.inner.line()
    }

    /// The column, from 1; 0 if it is not known.
    pub fn column(&self) -> usize {
        self.inner.column()
    }

    /// An error in words that hold no values.
    pub(crate) fn plain(message: impl fmt::Display) -> Self {
        let inner = <serde_json::Error as serde::de::Error>::custom(message);
        Self {
            message: inner.to_string(),
            inner,
            allowed_depth: None,
        }
    }

    /// A document is nested deeper than allowed.
    pub(crate) fn too_deep(allowed: usize) -> Self {
        Self {
            allowed_depth: Some(allowed),
            ..Self::plain(too_deep(allowed))
        }
    }

    /// How deep the document may be nested, if it is nested deeper.
    pub(crate) fn allowed_depth(&self) -> Option<usize> {
        self.allowed_depth
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(inner: serde_json::Error) -> Self {
        if is_too_deep(&inner) {
            return Self {
                inner,
                ..Self::too_deep(MAX_DEPTH)
            };
        }
        Self {
            message: redacted(&inner),
            inner,
            allowed_depth: None,
        }
    }
}

/// Whether serde_json has come to the depth that it reads at most.
pub(crate) fn is_too_deep(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("recursion limit exceeded")
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.line() {
            0 => Ok(()),
            line => write!(f, " at line {line} column {}", self.column()),
        }
    }
}

impl fmt::Debug for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonError({self})")
    }
}

impl std::error::Error for JsonError {}

#[cfg(test)]
mod tests;
