//! The project around the current directory.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::error::Error;

/// The command of a project that writes its manifests.
const WRITE_MANIFESTS: [&str; 5] = ["run", "--bin", "crds", "--", "write"];

/// Returns the closest directory with a `Cargo.toml`.
pub(crate) fn find() -> Result<PathBuf, Error> {
    let current = env::current_dir().map_err(|error| Error::Read { path: ".".into(), error })?;
    let project = current.ancestors().find(|directory| directory.join("Cargo.toml").is_file());
    project.map(Path::to_owned).ok_or(Error::NoProject)
}

/// Builds the project and writes its manifests.
pub(crate) fn write_manifests(project: &Path) -> Result<(), Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(&cargo).args(WRITE_MANIFESTS).current_dir(project).status();
    let status = status.map_err(|error| Error::Run { program: cargo.to_string_lossy().into_owned(), error })?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::Manifests(format!("cargo {}", WRITE_MANIFESTS.join(" ")))),
    }
}

/// Formats files with rustfmt, where it is installed: the width of a line depends on the names in it.
pub(crate) fn format(project: &Path, files: &[PathBuf]) {
    let files = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let _ = Command::new("rustfmt").args(["--edition", "2024"]).args(files).current_dir(project).output();
}
