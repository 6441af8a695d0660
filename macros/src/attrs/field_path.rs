//! The field on which a rule reports its failure.

use std::borrow::Cow;

use crdkit_core::literal::field_path::{FieldPathError, steps};
use proc_macro2::Span;

use super::text::{CheckResult, Text};

/// A valid field path.
#[derive(Clone, Debug)]
pub(crate) struct FieldPath {
    pub(crate) steps: Vec<String>,
    pub(crate) span: Span,
}

impl FieldPath {
    /// Parses a path.
    pub(super) fn parse(text: &Text) -> CheckResult<Self> {
        if text.trim().is_empty() || text.contains(['\n', '\r']) {
            return Err("the field path must be a single non-empty line".to_owned());
        }
        match steps(text, true) {
            Ok(steps) => Ok(Self { steps: steps.into_iter().map(Cow::into_owned).collect(), span: text.span() }),
            Err(mistake) => Err(error_message(text, mistake)),
        }
    }
}

fn error_message(path: &str, mistake: FieldPathError<'_>) -> String {
    let why = match mistake {
        FieldPathError::NoDot("self") if path.starts_with("self.") => {
            let below = &path["self".len()..];
            return format!("a field path is relative to `self`: write `{below}`");
        }
        FieldPathError::NoDot(token) if path.starts_with(token) => {
            return format!("the field path `{path}` does not start with a dot: write `.{path}`");
        }
        FieldPathError::Unquoted(index) if index.parse::<i64>().is_ok() => {
            return format!("`[{index}]` is an index, which a field path cannot contain: end the path at the list");
        }
        FieldPathError::NoDot(token) => format!("expected `.` or `[` before `{token}`"),
        FieldPathError::End => "it ends in the middle of a step".to_owned(),
        FieldPathError::Unquoted(token) => format!("`{token}` is not in single quotes"),
        FieldPathError::Escape(c) => format!("`\\{c}` is not an escape sequence"),
        FieldPathError::Unclosed(token) => format!("expected `]` before `{token}`"),
        FieldPathError::Bracket => "brackets are not allowed".to_owned(),
    };
    format!("`{path}` is not a field path: {why}")
}
