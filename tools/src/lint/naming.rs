//! Naming conventions of a project.

use crdkit_core::literal::regex::{self, Matcher};

use super::Place;
use crate::emit::{Crds, EmitError, error::EmitProblem};

/// A convention that a project has declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::emit) struct NamingConvention {
    name: String,
    pattern: String,
    message: String,
}

/// A convention with a compiled pattern.
pub(in crate::emit) struct NamingRule<'a> {
    convention: &'a NamingConvention,
    matcher: Matcher,
}

impl Crds {
    /// Adds a convention for names of fields, which the lint `namingconventions` checks.
    ///
    /// `pattern` is a regular expression of Go. A field whose name has a part that matches it is reported with `message`.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, emit::{Crds, Lint}};
    /// use serde::{Deserialize, Serialize};
    ///
    /// /// Runs a command.
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
    /// #[serde(rename_all = "camelCase")]
    /// pub struct AtSpec {
    ///     /// The color of the output.
    ///     pub output_color: String,
    /// }
    ///
    /// let crds = Crds::new().add::<At>().naming_convention("spelling", "(?i)color", "write `colour`");
    /// let findings = crds.lint(&[Lint::NamingConventions])?;
    /// assert_eq!(findings[0].to_string(), "ats.example.com v1.spec.outputColor: write `colour` (spelling) [namingconventions]");
    /// # Ok::<(), crdkit::emit::EmitError>(())
    /// ```
    pub fn naming_convention(
        mut self,
        name: impl Into<String>,
        pattern: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (name, pattern, message) = (name.into(), pattern.into(), message.into());
        self.naming_conventions.push(NamingConvention { name, pattern, message });
        self
    }

    /// Compiles the conventions.
    pub(super) fn naming_rules(&self) -> Result<Vec<NamingRule<'_>>, EmitError> {
        let compiled = self.naming_conventions.iter().map(|convention| {
            let parsed = regex::parse(&convention.pattern).map_err(|error| EmitProblem::NamingConvention {
                name: convention.name.clone(),
                pattern: convention.pattern.clone(),
                error: error.go().to_string(),
            });
            Ok(NamingRule { convention, matcher: parsed?.matcher() })
        });
        compiled.collect::<Result<_, _>>().map_err(|problem| EmitError { problems: vec![problem] })
    }
}

pub(super) fn naming_conventions(place: &Place<'_>) -> Option<String> {
    let name = place.name?;
    let broken = place.naming_rules.iter().filter(|rule| rule.matcher.is_match(name));
    let messages: Vec<_> =
        broken.map(|rule| format!("{} ({})", rule.convention.message, rule.convention.name)).collect();
    (!messages.is_empty()).then(|| messages.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::Lint;

    #[test]
    fn an_invalid_pattern_is_an_error() {
        let crds = Crds::new().naming_convention("spelling", "colou(r", "write `colour`");
        let error = crds.lint(&[Lint::NamingConventions]).unwrap_err().to_string();
        let expected = "the pattern `colou(r` of the naming convention `spelling` is invalid: \
            error parsing regexp: missing closing ): `colou(r`";
        assert_eq!(error, expected);
    }
}
