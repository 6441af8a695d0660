//! Checking whether files are up to date.

use std::collections::HashSet;
use std::path::Path;

use super::error::{CheckError, Outdated};
use super::exceptions::Exceptions;
use super::files::{Difference, Files};
use super::{Crds, CrdsDiff, sources};
use crate::{crd::compare::ChangeSeverity, yaml::diff};

/// The environment variable that makes a test update the files instead of checking them.
const BLESS: &str = "CRDKIT_BLESS";

impl Crds {
    /// Checks in a test that the files are up to date.
    ///
    /// If the environment variable `CRDKIT_BLESS` is `1`, the files are updated instead.
    ///
    /// # Errors
    ///
    /// If the set cannot be rendered, a file cannot be read, or files are out of date, missing or obsolete. The message
    /// contains a diff, with crdkit's feature `yaml` the [changes](crate::compare) that are not compatible, and the command that
    /// updates the files.
    pub fn check(&self) -> Result<(), CheckError> {
        check_files(self, &Files::of(self)?)
    }
}

/// Checks in a test that files which belong to a set are up to date.
pub fn check_files(crds: &Crds, files: &Files) -> Result<(), CheckError> {
    check_or_bless(files, &Exceptions::of(crds)?, crds.update_command.clone())
}

/// Compares the files with the expected ones, or updates them if the environment requests it.
pub(super) fn check_or_bless(
    files: &Files,
    exceptions: &Exceptions,
    update_command: Option<String>,
) -> Result<(), CheckError> {
    if std::env::var(BLESS).is_ok_and(|value| !value.is_empty() && value != "0") {
        files.update()?;
        return Ok(());
    }
    check(files, exceptions, || update_command.unwrap_or_else(test_command))
}

/// Compares the files with the expected ones.
pub(super) fn check(
    files: &Files,
    exceptions: &Exceptions,
    command: impl FnOnce() -> String,
) -> Result<(), CheckError> {
    let mut shown = HashSet::new();
    let differences: Vec<_> = files.differences()?.iter().map(|it| describe_once(exceptions, it, &mut shown)).collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(CheckError::Outdated(Outdated { differences, command: command() }))
}

/// Returns the command that runs the current test, whose name is that of its thread, and updates the files.
fn test_command() -> String {
    let mut command = format!("{BLESS}=1 cargo test");
    if let Ok(package) = std::env::var("CARGO_PKG_NAME") {
        command.push_str(&format!(" -p {package}"));
    }
    match std::thread::current().name() {
        None | Some("main") => {}
        Some(test) => command.push_str(&format!(" {test}")),
    }
    command
}

/// Describes a difference, briefly if another file has the same one: several files have the same definition.
fn describe_once(exceptions: &Exceptions, difference: &Difference<'_>, shown: &mut HashSet<String>) -> String {
    let text = describe(exceptions, difference);
    let is_changed = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let changed: String = text.lines().filter(is_changed).flat_map(|line| [line, "\n"]).collect();
    if changed.is_empty() || shown.insert(changed) {
        text
    } else {
        format!("{} differs in the same way\n", relative_path(&difference.path))
    }
}

fn describe(exceptions: &Exceptions, difference: &Difference<'_>) -> String {
    let path = relative_path(&difference.path);
    match (&difference.actual, difference.expected) {
        (Some(actual), Some(expected)) => {
            diff::unified(&path, actual, expected) + &incompatible_changes(actual, expected, exceptions)
        }
        (None, _) => format!("{path} is missing\n"),
        (Some(_), None) => format!("{path} is obsolete: no type has this kind\n"),
    }
}

/// Returns the changes of the definitions in a file that are not compatible, one per line.
fn incompatible_changes(actual: &str, expected: &str, exceptions: &Exceptions) -> String {
    let (Ok(old), Ok(new)) = (sources::parse(actual), sources::parse(expected)) else {
        return String::new(); // without the feature `yaml`, or it was edited
    };
    let diff = CrdsDiff::new(&old, &new, exceptions);
    let changes = diff.definitions.iter().flat_map(|definition| &definition.changes);
    let notable = changes.filter(|it| it.severity() != ChangeSeverity::Compatible);
    let lines = notable.map(|it| format!("{}: {}: {}\n", it.severity().name(), it.change, it.change.reason()));
    lines.collect()
}

/// Returns the path relative to the current directory if it is inside.
pub fn relative_path(path: &Path) -> String {
    let below = std::env::current_dir().ok().and_then(|current| path.strip_prefix(current).ok());
    below.unwrap_or(path).display().to_string()
}
