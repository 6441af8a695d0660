//! JSON paths, parsed as far as a schema can resolve them.

use crdkit_core::literal::json_path;
pub(crate) use crdkit_core::literal::json_path::Step;
use darling::{Error, Result};
use proc_macro2::Span;

use super::text::{CheckResult, FromText, Text, from_text};

/// A JSON path such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath {
    text: Text,
    steps: Vec<Step>,
}

impl JsonPath {
    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    pub(crate) fn span(&self) -> Span {
        self.text.span()
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the path consists of field names only, without dots in them.
    pub(crate) fn is_simple(&self) -> bool {
        !self.text.contains(['[', '\\']) && self.steps.iter().all(|step| matches!(step, Step::Field(_)))
    }

    /// Whether the path leads below the field `name` of the object.
    pub(crate) fn is_below(&self, name: &str) -> bool {
        self.steps.len() > 1 && self.steps.first() == Some(&Step::Field(name.to_owned()))
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

fn steps(text: &str) -> CheckResult<Vec<Step>> {
    if text.is_empty() {
        return Err("the path is empty: expected one such as `.spec.replicas`".to_owned());
    }
    if !text.starts_with('.') {
        return Err(format!(
            "`{text}` does not start with a dot: write `.{}`",
            text.trim_matches(['$', '.', '{', '}', ' '])
        ));
    }
    let invalid = |why: &str| format!("`{text}` is not a valid path: {why}");
    let steps = json_path::steps(text).map_err(|mistake| invalid(&mistake.to_string()))?;
    if let Some(identifier) = json_path::stray_identifier(text) {
        return Err(invalid(&format!(
            "`{identifier}` has no dot before it: write `.{identifier}`, or `\\ ` for a space in a name"
        )));
    }
    let nameless = Step::Field(String::new());
    match steps.contains(&nameless) {
        true => Err(invalid("the name of a field is missing after a dot")),
        false => Ok(steps),
    }
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

    #[test]
    fn missing_dot_message() {
        assert_eq!(
            steps("spec.replicas").unwrap_err(),
            "`spec.replicas` does not start with a dot: write `.spec.replicas`"
        );
    }
}
