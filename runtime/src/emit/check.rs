//! Whether files are what the types say.

use std::path::Path;

use super::error::{CheckError, Outdated};
use super::files::{Difference, Files};
use super::{Crds, diff};

/// The environment variable with which a test updates the files instead of checking them.
const BLESS: &str = "CRDKIT_BLESS";

impl Crds {
    /// Whether the files are what the types say; for a test.
    ///
    /// With `CRDKIT_BLESS=1` in the environment, the files are updated instead.
    ///
    /// # Errors
    ///
    /// If the set cannot be rendered, a file cannot be read, or files are outdated, missing or left
    /// over. The message has a diff and the command that updates them.
    pub fn check(&self) -> Result<(), CheckError> {
        let files = self.files()?;
        if std::env::var(BLESS).is_ok_and(|value| !value.is_empty() && value != "0") {
            files.update()?;
            return Ok(());
        }
        let command = self.update_command.clone();
        check(&files, || command.unwrap_or_else(test_command))
    }
}

/// Compares the files with what they should hold.
pub(super) fn check(files: &Files, command: impl FnOnce() -> String) -> Result<(), CheckError> {
    let differences: Vec<_> = files.differences()?.iter().map(describe).collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(CheckError::Outdated(Outdated { differences, command: command() }))
}

/// The running test, which is named after its thread, with the files blessed.
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
        (Some(_), None) => format!("{path} is left over: no type has this kind\n"),
    }
}

/// The path, from the current directory if it is below.
pub(super) fn relative_path(path: &Path) -> String {
    let below = std::env::current_dir().ok();
    let below = below.and_then(|current| path.strip_prefix(current).ok());
    below.unwrap_or(path).display().to_string()
}
