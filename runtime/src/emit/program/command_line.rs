//! The command line of the program.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::arguments::Arguments;

const USAGE: &str = "\
Writes the CustomResourceDefinitions of this program's types as YAML.

Usage: <program> <command>

Commands:
  write [PATH]          Write the files that have changed
  check [PATH]          Show outdated files, and exit with 1 if there are any
  check --against FILE  Show breaking changes since the definitions of an older release in FILE,
                        and exit with 1 if there are any
  print                 Print all definitions
  diff OLD [NEW]        Show the changes since other definitions: files, a git revision or the cluster
<more>  help                  Print this text

PATH is a directory with one file per kind, or a file (.yaml or .yml) for all definitions.
`<program> <command> --help` describes a command.
";

/// The commands of the crate `crdkit-tools`.
pub(super) const TOOLS: [&str; 9] =
    ["docs", "samples", "lint", "import", "install", "uninstall", "deploy", "plan", "dev"];

const WRITE_USAGE: &str = "\
Writes the files of the definitions that have changed, and removes those of definitions that are gone.

Usage: <program> write [PATH] [OPTIONS]

PATH is a directory with one file per kind, or a file (.yaml or .yml) for all definitions. Without PATH, the files
are those of this program, and its manifests are written too.

Options:
  --format FORMAT  text (default), or json: a line for each file

Examples:
  <program> write
  <program> write target/crds.yaml
";

const CHECK_USAGE: &str = "\
Shows outdated files, or breaking changes since an older release.

Usage: <program> check [PATH] [OPTIONS]
       <program> check --against FILE [OPTIONS]

PATH is a directory with one file per kind, or a file (.yaml or .yml) for all definitions. FILE has the definitions
of the older release. Intended changes are those in the file of exceptions, as with `diff`.

Options:
  --format FORMAT  text (default), or json: a line for each outdated file, or with --against the breaking changes
                   as `diff` prints them

Exit codes:
  0  the files are up to date, or no change is breaking
  1  a file is outdated, or a change is breaking
  2  the command line is invalid

Examples:
  <program> check
  <program> check --against v1.2.0.yaml
";

const PRINT_USAGE: &str = "\
Prints all definitions as YAML.

Usage: <program> print

Example:
  <program> print | kubectl apply --server-side -f -
";

/// A command of the command line.
pub(super) enum Command {
    Write(Destination),
    Check(Destination),
    Against(Against),
    Print,
    Diff(Vec<OsString>),
    /// The description of a command, or of the program.
    Help(Option<&'static str>),
}

/// Where the files are, and how the output is printed.
pub(super) struct Destination {
    /// The path; `None` for that of the set.
    pub(super) path: Option<PathBuf>,
    pub(super) is_json: bool,
}

/// The older release, and how the breaking changes since then are printed.
pub(super) struct Against {
    pub(super) path: PathBuf,
    pub(super) is_json: bool,
}

const FORMAT: &str = "--format=";

impl Command {
    /// Parses the arguments, or returns an error message.
    pub(super) fn parse(arguments: Vec<OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let Some(command) = arguments.next() else {
            return Err("a command is required".to_owned());
        };
        let command = command.to_string_lossy().into_owned();
        if command == "diff" {
            return Ok(Self::Diff(arguments.collect()));
        }
        let parse = |max, options: &[&'static str]| Arguments::parse(&command, arguments, max, options);
        match command.as_str() {
            "write" => {
                let parsed = parse(1, &[FORMAT])?;
                let is_json = parsed.is_json()?;
                Ok(unless_help(parsed, WRITE_USAGE, |path| Self::Write(Destination { path, is_json })))
            }
            "check" => {
                let parsed = parse(1, &["--against=", FORMAT])?;
                let is_json = parsed.is_json()?;
                let against = parsed.option("--against").map(PathBuf::from);
                if against.is_some() && !parsed.positional.is_empty() {
                    return Err("`check --against` has no path: it compares all definitions".to_owned());
                }
                let check = |path| match against {
                    Some(path) => Self::Against(Against { path, is_json }),
                    None => Self::Check(Destination { path, is_json }),
                };
                Ok(unless_help(parsed, CHECK_USAGE, check))
            }
            "print" => Ok(unless_help(parse(0, &[])?, PRINT_USAGE, |_| Self::Print)),
            "help" | "--help" | "-h" => Ok(Self::Help(None)),
            tool if TOOLS.contains(&tool) => Err(format!(
                "the crate `crdkit-tools` has the command `{tool}`: run this program with its function `main`"
            )),
            _ => Err(format!("unknown command `{command}`")),
        }
    }
}

/// Returns the description of a program with more commands, which have a line each.
pub(super) fn usage(more: &str) -> String {
    USAGE.replace("<more>", more)
}

/// Returns the command with its path, or its description if the arguments request it.
fn unless_help(arguments: Arguments, usage: &'static str, command: impl FnOnce(Option<PathBuf>) -> Command) -> Command {
    if arguments.is_help {
        Command::Help(Some(usage))
    } else {
        command(arguments.positional.into_iter().next().map(PathBuf::from))
    }
}

/// Returns the command line that runs this program again.
pub(super) fn own_command(command: &str, path: Option<&Path>) -> String {
    let program = cargo_run().or_else(|| std::env::args().next());
    let words = [program.as_deref(), Some(command), path.and_then(Path::to_str)];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns the `cargo run` command of this program if cargo runs it.
fn cargo_run() -> Option<String> {
    std::env::var_os("CARGO")?;
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    let path = std::env::current_exe().ok()?;
    let name = path.file_stem()?.to_str()?;
    let example = path.parent()?.ends_with("examples");
    let target = if example { "--example" } else { "--bin" };
    Some(format!("cargo run -p {package} {target} {name} --"))
}
