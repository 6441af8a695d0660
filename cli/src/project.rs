//! The project around the current directory.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus},
};

use crate::{
    command_line::{ClusterArguments, DeployArguments, ProgramCommand},
    error::Error,
};

/// The command of a project that writes its manifests.
const WRITE_MANIFESTS: [&str; 5] = ["run", "--bin", "crds", "--", "write"];

/// Runs the program that has the definitions.
const PROGRAM: [&str; 5] = ["run", "--quiet", "--bin", "crds", "--"];

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

/// Installs the definitions, or removes them.
pub(crate) fn run_in_cluster(command: &str, arguments: &ClusterArguments) -> Result<(), Error> {
    run_program(&words(command, arguments))
}

/// Installs the definitions and the operator.
pub(crate) fn deploy(arguments: &DeployArguments) -> Result<(), Error> {
    let mut words = words("deploy", &arguments.cluster);
    words.extend(arguments.no_wait.then(|| "--no-wait".to_owned()));
    words.extend(arguments.timeout.map(|seconds| format!("--timeout={seconds}")));
    run_program(&words)
}

/// Returns the command line of the program that has the definitions.
fn words(command: &str, arguments: &ClusterArguments) -> Vec<String> {
    let mut words = vec![command.to_owned()];
    words.extend(arguments.dry_run.then(|| "--dry-run".to_owned()));
    words.extend(arguments.allow_data_loss.then(|| "--allow-data-loss".to_owned()));
    words.extend(arguments.format.map(|format| format!("--format={}", format.name())));
    words
}

/// Runs a command of the program that has the definitions, in the current directory, and returns its exit code.
pub(crate) fn pass_on(command: ProgramCommand) -> Result<ExitCode, Error> {
    let manifest = find()?.join("Cargo.toml");
    let (name, arguments) = command.into_parts();
    let mut cargo = Command::new(cargo_program());
    cargo.args(["run", "--quiet", "--bin", "crds", "--manifest-path"]).arg(manifest).args(["--", name]).args(arguments);
    let status = status(&mut cargo)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs the program that has the definitions.
fn run_program(words: &[String]) -> Result<(), Error> {
    let words: Vec<_> = PROGRAM.into_iter().chain(words.iter().map(String::as_str)).collect();
    match cargo(&find()?, &words)? {
        true => Ok(()),
        false => Err(Error::Program(format!("cargo {}", words.join(" ")))),
    }
}

/// Runs cargo, and returns whether it succeeded.
fn cargo(project: &Path, arguments: &[&str]) -> Result<bool, Error> {
    Ok(status(Command::new(cargo_program()).args(arguments).current_dir(project))?.success())
}

fn status(command: &mut Command) -> Result<ExitStatus, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.status().map_err(|error| Error::Run { program, error })
}

/// Returns the cargo that runs this program.
pub(crate) fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Formats files with rustfmt, where it is installed: the width of a line depends on the names in it.
pub(crate) fn format(project: &Path, files: &[PathBuf]) {
    let files = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let _ = Command::new("rustfmt").args(["--edition", "2024"]).args(files).current_dir(project).output();
}
