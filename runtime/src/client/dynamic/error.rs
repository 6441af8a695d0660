use serde_json::Value;

use super::path::join;
use crate::client::{error::JsonError, sealed::Sealed};
use std::borrow::Cow;

/// Why a field of an object cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text is not a path.
    #[error("`{path}` is not a path: {reason}; use the form `spec.disks[0].size`, or segments")]
    Malformed {
        /// The text.
        path: String,
        /// Why it is invalid.
        reason: &'static str,
    },
    /// The object has no such field.
    #[error("`{path}` does not exist: {}", explain_missing(.parent, .segment, .present))]
    Missing {
        /// The requested path.
        path: String,
        /// The part of the path that exists; empty for the object itself.
        parent: String,
        /// The first missing segment.
        segment: String,
        /// The existing siblings of the missing segment.
        present: Present,
    },
    /// The value has another type.
    #[error("`{path}` is {found}, expected {expected}")]
    WrongType {
        /// The path of the value, which may be an ancestor of the requested one.
        path: String,
        /// The actual type.
        found: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// The value does not match the requested type.
    #[error("`{path}` does not match the type: {source}")]
    TypeMismatch {
        /// The path of the value.
        path: String,
        /// The error of its `Deserialize` implementation.
        source: JsonError,
    },
    /// `apiVersion`, `kind` and `metadata` are fields of the Rust type and have no path.
    #[error("`{segment}` is a typed field: use the field `{field}` of the object")]
    Typed {
        /// The first segment.
        segment: String,
        /// The field of [`Unstructured`](super::Unstructured).
        field: &'static str,
    },
}

/// The existing siblings of a missing segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Present {
    /// The keys of an object.
    Keys(Vec<String>),
    /// The number of items of a list.
    Items(usize),
}

impl PathError {
    /// Returns whether the field is missing, as opposed to having another type.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    pub(super) fn missing(segments: &[Cow<'_, str>], at: usize, present: Present) -> Self {
        Self::Missing {
            path: join(segments),
            parent: join(&segments[..at]),
            segment: segments[at].to_string(),
            present,
        }
    }

    pub(super) fn wrong_type(segments: &[Cow<'_, str>], value: &Value, expected: &'static str) -> Self {
        Self::WrongType { path: join(segments), found: type_of(value), expected }
    }
}

/// Converts [`PathError::Missing`] to `None`.
pub trait Optional<T>: Sealed {
    /// Returns `None` if the field is missing.
    ///
    /// # Errors
    ///
    /// All other errors.
    fn optional(self) -> Result<Option<T>, PathError>;
}

impl<T> Optional<T> for Result<T, PathError> {
    fn optional(self) -> Result<Option<T>, PathError> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn explain_missing(parent: &str, segment: &str, present: &Present) -> String {
    let parent = match parent {
        "" => "the object".to_owned(),
        parent => format!("`{parent}`"),
    };
    match present {
        Present::Keys(keys) if keys.is_empty() => format!("{parent} is empty"),
        Present::Keys(keys) => {
            format!("{parent} has no `{segment}`, only `{}`", keys.join("`, `"))
        }
        Present::Items(count) => format!("{parent} has {count} items, but no item {segment}"),
    }
}

pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(number) if number.is_i64() => "an integer",
        Value::Number(_) => "an integer that exceeds 64 signed bits",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
