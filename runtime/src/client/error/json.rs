mod redacted;

use std::fmt;

pub(super) use self::redacted::quoted_end;
use self::redacted::redacted;
pub(crate) use self::redacted::without_position;
use crate::client::limits::{MAX_DEPTH, too_deep};

/// An error of serde_json, without the values of the document.
///
/// Its `Display` and `Debug` output contains types, fields and positions. Where serde_json or a type's own
/// `Deserialize` or `Serialize` quotes a value, or may do so, the text is omitted; [`unredacted`](Self::unredacted)
/// returns all of it. There is no `source()`, because errors are often logged with all their sources.
pub struct JsonError {
    message: String,
    inner: serde_json::Error,
    /// The allowed nesting depth, if the document exceeds it.
    allowed_depth: Option<usize>,
}

impl JsonError {
    /// Returns the complete error. Its text may contain values of the document.
    pub fn unredacted(&self) -> &serde_json::Error {
        &self.inner
    }

    /// Returns the complete error by value, like [`unredacted`](Self::unredacted).
    pub fn into_unredacted(self) -> serde_json::Error {
        self.inner
    }

    /// Returns the line, from 1; 0 if it is unknown.
    pub fn line(&self) -> usize {
        self.inner.line()
    }

    /// Returns the column, from 1; 0 if it is unknown.
    pub fn column(&self) -> usize {
        self.inner.column()
    }

    /// Creates an error from a message without values.
    pub(crate) fn plain(message: impl fmt::Display) -> Self {
        let inner = <serde_json::Error as serde::de::Error>::custom(message);
        Self { message: inner.to_string(), inner, allowed_depth: None }
    }

    /// Creates the error of a document that is nested too deeply.
    pub(crate) fn too_deep(allowed: usize) -> Self {
        Self { allowed_depth: Some(allowed), ..Self::plain(too_deep(allowed)) }
    }

    /// Returns the error with its whole text, if it may contain values.
    pub(crate) fn quoting(self, values: bool) -> Self {
        if !values || self.allowed_depth.is_some() {
            return self;
        }
        Self { message: without_position(&self.inner), ..self }
    }

    /// Returns the allowed nesting depth, if the document exceeds it.
    pub(crate) fn allowed_depth(&self) -> Option<usize> {
        self.allowed_depth
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(inner: serde_json::Error) -> Self {
        if is_too_deep(&inner) {
            return Self { inner, ..Self::too_deep(MAX_DEPTH) };
        }
        Self { message: redacted(&inner), inner, allowed_depth: None }
    }
}

/// Returns whether serde_json has reached its recursion limit.
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
