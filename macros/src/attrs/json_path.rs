//! JSON paths, parsed as far as a schema can resolve them.

pub(crate) use crdkit_core::literal::json_path::JsonPathStep;
use crdkit_core::rules::{
    column_lints,
    columns::{path_is_given, path_starts_with_dot},
};
use darling::{Error, Result};
use proc_macro2::Span;

use super::text::{CheckResult, FromText, Text, check_result, from_text};

/// A JSON path such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath {
    text: Text,
    steps: Vec<JsonPathStep>,
}

impl JsonPath {
    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    pub(crate) fn span(&self) -> Span {
        self.text.span()
    }

    pub(crate) fn steps(&self) -> &[JsonPathStep] {
        &self.steps
    }

    /// Whether the path consists of field names only, without dots in them.
    pub(crate) fn is_simple(&self) -> bool {
        !self.text.contains(['[', '\\']) && self.steps.iter().all(|step| matches!(step, JsonPathStep::Field(_)))
    }

    /// Whether the path leads below the field `name` of the object.
    pub(crate) fn is_below(&self, name: &str) -> bool {
        self.steps.len() > 1 && self.steps.first() == Some(&JsonPathStep::Field(name.to_owned()))
    }
}

impl FromText for JsonPath {
    fn from_text(text: Text) -> Result<Self> {
        match steps(&text) {
            Ok(steps) => Ok(Self { text, steps }),
            Err(message) => Err(Error::custom(message).with_span(&text.span())),
        }
    }
}

from_text!(JsonPath);

fn steps(text: &str) -> CheckResult<Vec<JsonPathStep>> {
    check_result(path_is_given(text))?;
    check_result(path_starts_with_dot(text))?;
    column_lints::column_steps(text).map_err(|mistake| mistake.violation(text).message.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_paths() {
        for text in [".spec", r".spec.a\.b/c", ".spec.l[0].x", ".spec..deep", ".spec.*", ".spec['s','n']"] {
            assert!(steps(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn invalid_paths() {
        for text in ["", "spec", "$.spec", ".spec.", ".", ".spec[", ".spec[x]", ".spec]", "{.spec}"] {
            assert!(steps(text).is_err(), "{text}");
        }
    }
}
