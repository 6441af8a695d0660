//! Checking whether files are up to date.

use std::path::Path;

use super::error::{CheckError, Outdated};
use super::files::{Difference, Files};
use super::{Crds, diff};

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
    /// contains a diff and the command that updates the files.
    pub fn check(&self) -> Result<(), CheckError> {
        check_or_bless(&self.files()?, self.update_command.clone())
    }
}

/// Compares the files with the expected ones, or updates them if the environment requests it.
pub(super) fn check_or_bless(files: &Files, update_command: Option<String>) -> Result<(), CheckError> {
    if std::env::var(BLESS).is_ok_and(|value| !value.is_empty() && value != "0") {
        files.update()?;
        return Ok(());
    }
    check(files, || update_command.unwrap_or_else(test_command))
}

/// Compares the files with the expected ones.
pub(super) fn check(files: &Files, command: impl FnOnce() -> String) -> Result<(), CheckError> {
    let differences: Vec<_> = files.differences()?.iter().map(describe).collect();
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

fn describe(difference: &Difference<'_>) -> String {
    let path = relative_path(&difference.path);
    match (&difference.actual, difference.expected) {
        (Some(actual), Some(expected)) => diff::unified(&path, actual, expected),
        (None, _) => format!("{path} is missing\n"),
        (Some(_), None) => format!("{path} is obsolete: no type has this kind\n"),
    }
}

/// Returns the path relative to the current directory if it is inside.
pub(super) fn relative_path(path: &Path) -> String {
    let below = std::env::current_dir().ok();
    let below = below.and_then(|current| path.strip_prefix(current).ok());
    below.unwrap_or(path).display().to_string()
}
