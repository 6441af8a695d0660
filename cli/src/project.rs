//! The project around the current directory.

use std::{
    env,
    ffi::OsString,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus, Stdio},
};

use crate::{
    command_line::{ClusterArguments, DeployArguments, ProgramCommand, UninstallArguments},
    error::Error,
};

/// The command of a project that writes its manifests.
const WRITE_MANIFESTS: [&str; 5] = ["run", "--bin", "crds", "--", "write"];

/// Runs the program that has the definitions.
const PROGRAM: [&str; 5] = ["run", "--quiet", "--bin", "crds", "--"];

/// How the program that has the definitions is called in its descriptions of commands.
const NAME_OF_PROGRAM: &str = "CRDKIT_PROGRAM_NAME";

/// Returns the closest directory with a `Cargo.toml`.
pub(crate) fn find() -> Result<PathBuf, Error> {
    let current = env::current_dir().map_err(|error| Error::Read { path: ".".into(), error })?;
    let project = current.ancestors().find(|directory| directory.join("Cargo.toml").is_file());
    project.map(Path::to_owned).ok_or(Error::NoProject)
}

/// Builds the project and writes its manifests.
pub(crate) fn write_manifests(project: &Path, is_json: bool) -> Result<(), Error> {
    let format: &[&str] = if is_json { &["--format=json"] } else { &[] };
    if cargo(project, &[&WRITE_MANIFESTS, format].concat())? {
        Ok(())
    } else {
        Err(Error::Manifests(format!("cargo {}", WRITE_MANIFESTS.join(" "))))
    }
}

/// Installs the definitions.
pub(crate) fn install(arguments: &ClusterArguments) -> Result<(), Error> {
    run_program(&words("install", arguments))
}

/// Removes the definitions.
pub(crate) fn uninstall(arguments: &UninstallArguments) -> Result<(), Error> {
    let mut words = words("uninstall", &arguments.cluster);
    words.extend(arguments.operator.then(|| "--operator".to_owned()));
    words.extend(arguments.timeout.map(|seconds| format!("--timeout={seconds}")));
    run_program(&words)
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
    let manifest = match (find(), command.help()) {
        (Ok(project), _) => project.join("Cargo.toml"),
        (Err(_), Some(help)) => {
            print!("{help}");
            return Ok(ExitCode::SUCCESS);
        }
        (Err(error), None) => return Err(error),
    };
    let (name, arguments) = command.into_parts();
    let mut cargo = Command::new(cargo_program());
    cargo.args(["run", "--quiet", "--bin", "crds", "--manifest-path"]).arg(manifest).args(["--", name]).args(arguments);
    cargo.env(NAME_OF_PROGRAM, "cargo crdkit");
    let status = status(&mut cargo)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Runs the program that has the definitions.
fn run_program(words: &[String]) -> Result<(), Error> {
    let words: Vec<_> = PROGRAM.into_iter().chain(words.iter().map(String::as_str)).collect();
    if cargo(&find()?, &words)? { Ok(()) } else { Err(Error::Program(format!("cargo {}", words.join(" ")))) }
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

/// Returns code as rustfmt formats it in a directory, if it is installed and the code is valid.
pub(crate) fn formatted(directory: &Path, code: &str) -> Option<String> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024"]).current_dir(directory);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut rustfmt = piped.ok()?;
    // It reads everything before it writes.
    rustfmt.stdin.take()?.write_all(code.as_bytes()).ok()?;
    let output = rustfmt.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
}
