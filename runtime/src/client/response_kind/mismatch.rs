//! Describes responses that are not what was requested.

use std::fmt;

/// Longer than any `kind` or `apiVersion` that Kubernetes accepts.
const MAX_NAME_LENGTH: usize = 317;

/// A response that is not what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, but the response is {found}; {hint}")]
#[non_exhaustive]
pub struct Mismatch {
    /// The expected response, such as `ConfigMap of v1`.
    pub expected: String,
    /// The actual response. The text contains types and objects, but no other values of the response.
    pub found: String,
    /// A possible cause.
    pub(super) hint: &'static str,
}

impl Mismatch {
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            hint: "a proxy or another service may have responded instead of the API server",
        }
    }
}

/// Why a text is not of the expected type.
#[derive(Debug)]
pub(crate) enum NotExpected {
    /// It is something else.
    Mismatch(Mismatch),
    /// It is not JSON.
    Malformed(serde_json::Error),
}

impl From<Mismatch> for NotExpected {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

/// Describes a text that is not a JSON object.
pub(crate) fn describe_non_object(text: &str) -> String {
    match text.trim_start().chars().next() {
        None => "empty".to_owned(),
        Some('<') => format!("not a JSON object, but markup of {} bytes", text.len()),
        Some(_) => format!("not a JSON object, but a text of {} bytes", text.len()),
    }
}

/// Describes an object by its type: `` `Status` of `v1` ``.
pub(crate) fn describe(api_version: Option<&str>, kind: Option<&str>) -> String {
    match (kind, api_version) {
        (Some(kind), Some(version)) => format!("`{}` of `{}`", Word(kind), Word(version)),
        (Some(kind), None) => format!("`{}` without `apiVersion`", Word(kind)),
        (None, Some(version)) => format!("an object of `{}` without `kind`", Word(version)),
        (None, None) => "not a Kubernetes object: it has neither `apiVersion` nor `kind`".to_owned(),
    }
}

/// Displays a name from a response if it is valid in Kubernetes: another server may have sent anything.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/');
        if self.0.len() <= MAX_NAME_LENGTH && self.0.chars().all(fits) {
            f.write_str(self.0)
        } else {
            f.write_str("(not a name)")
        }
    }
}
