//! Errors of rendering.

use std::fmt;

/// A part of a resource that cannot be expressed in a CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderError {
    /// The path of the part, such as `.spec.template`; empty for the resource itself.
    pub path: String,
    /// A description of the problem and its solution.
    pub message: String,
}

impl RenderError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// Prepends a segment, such as `.name`, to the path.
    #[must_use]
    pub(crate) fn below(mut self, segment: &str) -> Self {
        self.path.insert_str(0, segment);
        self
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for RenderError {}
