use serde_json::Value;

use super::path::join;
use crate::client::error::JsonError;
use std::borrow::Cow;

/// Why a place in an object cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The text is no path.
    #[error("`{path}` is no path: {reason}; write `spec.disks[0].size`, or segments")]
    Malformed {
        /// The text.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is nothing.
    #[error("there is no `{path}`: {}", explain_missing(.parent, .segment, .present))]
    Missing {
        /// The path that was asked for.
        path: String,
        /// The part of it that is there; empty for the object itself.
        parent: String,
        /// The first segment that is not there.
        segment: String,
        /// What is there in its place.
        present: Present,
    },
    /// There is a value of another type.
    #[error("`{path}` is {found}, expected {expected}")]
    WrongType {
        /// The path of the value, which may be above the one that was asked for.
        path: String,
        /// What it is.
        found: &'static str,
        /// What it was to be.
        expected: &'static str,
    },
    /// The value does not fit the type that was asked for.
    #[error("`{path}` does not fit: {source}")]
    TypeMismatch {
        /// The path of the value.
        path: String,
        /// What its `Deserialize` says.
        source: JsonError,
    },
    /// `apiVersion`, `kind` and `metadata` are no values: they are fields of the Rust type.
    #[error("`{segment}` is typed: use the field `{field}` of the object")]
    Typed {
        /// The first segment.
        segment: String,
        /// The field of [`Unstructured`](super::Unstructured).
        field: &'static str,
    },
}

/// What is there where a segment is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Present {
    /// The keys of an object.
    Keys(Vec<String>),
    /// The number of items of a list.
    Items(usize),
}

impl PathError {
    /// Whether there is nothing at the path, as opposed to something else.
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

    pub(super) fn wrong_type(
        segments: &[Cow<'_, str>],
        value: &Value,
        expected: &'static str,
    ) -> Self {
        Self::WrongType {
            path: join(segments),
            found: type_of(value),
            expected,
        }
    }
}

/// Tells what is not there from what is wrong.
pub trait Optional<T> {
    /// `None` if there is nothing at the path.
    ///
    /// # Errors
    ///
    /// All others.
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
            format!(
                "{parent} has no `{segment}`, it has `{}`",
                keys.join("`, `")
            )
        }
        Present::Items(count) => format!("{parent} has {count} items and no item {segment}"),
    }
}

pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(number) if number.is_i64() => "an integer",
        Value::Number(_) => "an integer beyond 64 bits with a sign",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
