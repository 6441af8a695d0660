//! The project around the current directory.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{command_line::ProgramArguments, error::Error};

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
    match cargo(project, &WRITE_MANIFESTS)? {
        true => Ok(()),
        false => Err(Error::Manifests(format!("cargo {}", WRITE_MANIFESTS.join(" ")))),
    }
}

/// Runs a command of the program that has the definitions.
pub(crate) fn run_program(command: &str, arguments: &ProgramArguments) -> Result<(), Error> {
    let mut words = vec!["run", "--quiet", "--bin", "crds", "--", command];
    if arguments.dry_run {
        words.extend(["--dry-run", "yes"]);
    }
    if arguments.allow_data_loss {
        words.extend(["--allow-data-loss", "yes"]);
    }
    match cargo(&find()?, &words)? {
        true => Ok(()),
        false => Err(Error::Program(format!("cargo {}", words.join(" ")))),
    }
}

/// Runs cargo, and returns whether it succeeded.
fn cargo(project: &Path, arguments: &[&str]) -> Result<bool, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(&cargo).args(arguments).current_dir(project).status();
    let status = status.map_err(|error| Error::Run { program: cargo.to_string_lossy().into_owned(), error })?;
    Ok(status.success())
}

/// Formats files with rustfmt, where it is installed: the width of a line depends on the names in it.
pub(crate) fn format(project: &Path, files: &[PathBuf]) {
    let files = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let _ = Command::new("rustfmt").args(["--edition", "2024"]).args(files).current_dir(project).output();
}
