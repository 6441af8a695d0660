//! Accepted findings: changes and lints that a project allows, each with a reason.

use std::path::{Path, PathBuf};

use super::{Crds, EmitError, error::EmitProblem, files::package_directory};
use crate::crd::compare::is_at;

/// The file of a package whose exceptions apply without further configuration.
const FILE: &str = "crd-exceptions.txt";

/// A finding that is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exception {
    /// The check, such as `existingFieldRemoval`, or the lint.
    check: String,
    /// The name of a definition; `*` for all.
    definition: String,
    /// A path, optionally with a version, such as `.spec.note` or `v1.spec.note`; with `*` at its end, all that start so.
    path: String,
    reason: String,
}

impl Exception {
    /// Parses a line with a check, a definition, a path and a reason.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, char::is_whitespace).map(str::trim);
        let mut next = || words.next().filter(|word| !word.is_empty()).map(str::to_owned);
        Some(Self { check: next()?, definition: next()?, path: next()?, reason: next()? })
    }

    fn matches(&self, check: &str, definition: &str, version: Option<&str>, path: &str) -> bool {
        let is_path = |wanted: &str| {
            let wanted = version.and_then(|version| wanted.strip_prefix(version)).unwrap_or(wanted);
            is_at(wanted, path)
        };
        self.check == check && (self.definition == "*" || self.definition == definition) && is_path(&self.path)
    }
}

impl Crds {
    /// Allows a finding of the command `diff`, or of `lint` of the crate [`crdkit-tools`](https://docs.rs/crdkit-tools), for a reason that
    /// they show.
    ///
    /// `check` is the name of a [check](crate::compare::Check::name) or of a lint. `path` is a path such as `.spec.note`, or `v1.spec.note` for one version. With `*` at its end it stands for all paths that start so, such as
    /// `.spec.template*`. The definition `*` stands for all.
    ///
    /// The file `crd-exceptions.txt` beside `Cargo.toml`, if it exists, has more exceptions, one per line in the same order:
    ///
    /// ```text
    /// # check definition path reason
    /// existingFieldRemoval ats.example.com v1.spec.note No release had it.
    /// ```
    pub fn allow(
        mut self,
        check: impl Into<String>,
        definition: impl Into<String>,
        path: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        self.exceptions.push(Exception {
            check: check.into(),
            definition: definition.into(),
            path: path.into(),
            reason: reason.into(),
        });
        self
    }

    /// Reads exceptions from this file instead of `crd-exceptions.txt`. A relative path is resolved as for
    /// [`directory`](Self::directory).
    pub fn exceptions_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.exceptions_file = Some(path.into());
        self
    }
}

fn read(text: &str) -> Result<Vec<Exception>, String> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let exceptions = lines.map(|(number, line)| {
        let expected = "expected a check, a definition, a path and a reason, such as `existingFieldRemoval ats.example.com \
                        .spec.note No release had it.`";
        Exception::parse(line).ok_or_else(|| format!("line {number}: {expected}"))
    });
    exceptions.collect()
}

/// The exceptions of a project.
#[derive(Clone, Debug, Default)]
pub struct Exceptions(Vec<Exception>);

impl Exceptions {
    /// Returns the exceptions of a set and of its file.
    pub fn of(crds: &Crds) -> Result<Self, EmitError> {
        Self::read(crds).map_err(|error| EmitError { problems: vec![EmitProblem::Exceptions(error)] })
    }

    fn read(crds: &Crds) -> Result<Self, String> {
        let mut all = crds.exceptions.clone();
        let path = package_directory().join(crds.exceptions_file.as_deref().unwrap_or(Path::new(FILE)));
        match std::fs::read_to_string(&path) {
            Ok(text) => all.extend(read(&text).map_err(|error| format!("{}: {error}", path.display()))?),
            Err(_) if crds.exceptions_file.is_none() => {}
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        }
        Ok(Self(all))
    }

    /// Returns the reason why a finding is allowed.
    pub fn reason(&self, check: &str, definition: &str, version: Option<&str>, path: &str) -> Option<&str> {
        let found = self.0.iter().find(|exception| exception.matches(check, definition, version, path));
        found.map(|exception| exception.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_match_paths_and_versions() {
        let text = "# why\n\nenum a.b v1.spec.a One two.\nrequired * .spec.b x\nscope a.b * y\ntype * .spec.pod* z\n";
        let exceptions = Exceptions(read(text).unwrap());
        let reason = |check, definition, path| exceptions.reason(check, definition, Some("v1"), path);
        assert_eq!(reason("enum", "a.b", ".spec.a"), Some("One two."));
        assert_eq!(exceptions.reason("enum", "a.b", Some("v2"), ".spec.a"), None);
        assert_eq!(reason("required", "c.d", ".spec.b"), Some("x"));
        assert_eq!(reason("required", "c.d", ".spec.b.c"), None);
        assert_eq!(reason("type", "c.d", ".spec.pod.c[*].d"), Some("z"));
        assert_eq!(reason("scope", "a.b", ""), Some("y"));
        let error = read("enum a.b .spec.a").unwrap_err();
        assert!(error.starts_with("line 1: expected a check"), "{error}");
    }
}
