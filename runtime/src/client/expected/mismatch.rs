//! What came in place of what was requested, in words.

use std::fmt;

/// Longer than any `kind` or `apiVersion` that Kubernetes accepts.
const LONGEST: usize = 317;

/// An answer that is not what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, but the answer is {found}; {hint}")]
#[non_exhaustive]
pub struct Mismatch {
    /// What was requested, such as `ConfigMap of v1`.
    pub expected: String,
    /// What the answer is. It names types and objects, and has no values of the answer beside.
    pub found: String,
    /// What may be the cause.
    pub(super) hint: &'static str,
}

impl Mismatch {
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            hint: "a proxy or another service may have answered in place of the API server",
        }
    }
}

/// Why a text is not what is expected.
#[derive(Debug)]
pub(crate) enum NotExpected {
    /// It is something else.
    Mismatch(Mismatch),
    /// It is no JSON.
    Malformed(serde_json::Error),
}

impl From<Mismatch> for NotExpected {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

/// What is no JSON object, in words.
pub(crate) fn no_object(text: &str) -> String {
    match text.trim_start().chars().next() {
        None => "empty".to_owned(),
        Some('<') => format!("no JSON object but markup of {} bytes", text.len()),
        Some(_) => format!("no JSON object but a text of {} bytes", text.len()),
    }
}

/// What says that it is this, as words: `a Status of v1`.
pub(crate) fn described(api_version: Option<&str>, kind: Option<&str>) -> String {
    match (kind, api_version) {
        (Some(kind), Some(version)) => format!("`{}` of `{}`", Word(kind), Word(version)),
        (Some(kind), None) => format!("`{}` without `apiVersion`", Word(kind)),
        (None, Some(version)) => format!("something of `{}` without `kind`", Word(version)),
        (None, None) => {
            "no object of Kubernetes: it has neither `apiVersion` nor `kind`".to_owned()
        }
    }
}

/// A word of an answer, if it can be one of Kubernetes: whoever answered may have written anything in its place.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/');
        match self.0.len() <= LONGEST && self.0.chars().all(fits) {
            true => f.write_str(self.0),
            false => f.write_str("(not a name)"),
        }
    }
}
