//! The errors of rules that run in process, as kube has them.

use std::{fmt, ops::Deref, slice, vec};

use serde::{Deserialize, Serialize};

/// Why a rule fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The rule does not compile.
    CompilationFailure,
    /// The rule is false.
    ValidationFailure,
    /// The rule cannot be evaluated, or costs too much.
    EvaluationError,
}

/// A rule that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValidationError {
    /// The rule.
    pub rule: String,
    /// The message of the rule, or why it has no result.
    pub message: String,
    /// The path of the value, such as `spec.replicas`.
    pub field_path: String,
    /// The reason of the rule, such as `FieldValueInvalid`.
    pub reason: Option<String>,
    /// Why it fails.
    pub kind: ErrorKind,
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field_path.is_empty() {
            write!(f, "{}: ", self.field_path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ValidationError {}

/// The rules that fail. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationErrors(Vec<ValidationError>);

impl ValidationErrors {
    /// Returns the errors.
    #[must_use]
    pub fn into_vec(self) -> Vec<ValidationError> {
        self.0
    }

    /// Returns the errors.
    #[must_use]
    pub fn as_slice(&self) -> &[ValidationError] {
        &self.0
    }
}

impl fmt::Display for ValidationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} validation error(s):", self.0.len())?;
        self.0.iter().try_for_each(|error| write!(f, "\n  - {error}"))
    }
}

impl std::error::Error for ValidationErrors {}

impl Deref for ValidationErrors {
    type Target = [ValidationError];

    fn deref(&self) -> &[ValidationError] {
        &self.0
    }
}

impl From<Vec<ValidationError>> for ValidationErrors {
    fn from(errors: Vec<ValidationError>) -> Self {
        Self(errors)
    }
}

impl IntoIterator for ValidationErrors {
    type Item = ValidationError;
    type IntoIter = vec::IntoIter<ValidationError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'e> IntoIterator for &'e ValidationErrors {
    type Item = &'e ValidationError;
    type IntoIter = slice::Iter<'e, ValidationError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let error = |path: &str| ValidationError {
            rule: "self > 1".to_owned(),
            message: "too small".to_owned(),
            field_path: path.to_owned(),
            reason: None,
            kind: ErrorKind::ValidationFailure,
        };
        let errors = ValidationErrors::from(vec![error("spec.a"), error("")]);
        assert_eq!(errors.to_string(), "2 validation error(s):\n  - spec.a: too small\n  - too small");
        assert_eq!((errors.len(), errors.as_slice()[0].rule.as_str()), (2, "self > 1"));
    }
}
