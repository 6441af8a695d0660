//! Naming conventions of a project.

use crdkit_core::literal::regex::{self, Matcher};

use super::{LintError, Place};

/// A convention that a project has declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamingConvention {
    name: String,
    pattern: String,
    message: String,
}

/// A convention with a compiled pattern.
pub(crate) struct NamingRule<'a> {
    convention: &'a NamingConvention,
    matcher: Matcher,
}

impl NamingConvention {
    pub(crate) fn new(name: String, pattern: String, message: String) -> Self {
        Self { name, pattern, message }
    }

    fn compile(&self) -> Result<NamingRule<'_>, LintError> {
        let parsed = regex::parse(&self.pattern).map_err(|error| LintError::NamingConvention {
            name: self.name.clone(),
            pattern: self.pattern.clone(),
            error: error.go().to_string(),
        });
        Ok(NamingRule { convention: self, matcher: parsed?.matcher() })
    }
}

/// Compiles conventions.
pub(super) fn naming_rules(conventions: &[NamingConvention]) -> Result<Vec<NamingRule<'_>>, LintError> {
    conventions.iter().map(NamingConvention::compile).collect()
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
    use crate::{Lint, Project};

    #[test]
    fn an_invalid_pattern_is_an_error() {
        let project = Project::default().naming_convention("spelling", "colou(r", "write `colour`");
        let error = project.lint(&[Lint::NamingConventions]).unwrap_err().to_string();
        let expected = "the pattern `colou(r` of the naming convention `spelling` is invalid: \
            error parsing regexp: missing closing ): `colou(r`";
        assert_eq!(error, expected);
    }
}
