//! The command line of the program.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::tools::Tool;

pub(super) const USAGE: &str = "\
Writes the CustomResourceDefinitions of this program's types as YAML.

Usage: <program> <command>

Commands:
  write [PATH]          Write the files that have changed
  check [PATH]          Show outdated files, and exit with 1 if there are any
  check --against FILE  Show breaking changes since the definitions of an older release in FILE,
                        and exit with 1 if there are any
  print                 Print all definitions
  diff OLD [NEW]        Show the changes since other definitions: files, a git revision or the cluster
  docs [FILE]           Write an API reference as Markdown or HTML
  samples [DIRECTORY]   Write a minimal and a full object of each kind
  lint [NAME...]        Show deviations from conventions of the Kubernetes API
  import SOURCE         Write Rust types for existing definitions
  install               Install the definitions in the cluster, unless that loses data
  uninstall             Remove the definitions from the cluster, unless there are objects
  deploy                Install the definitions and the operator in the cluster
  dev                   Serve the definitions on an API server in the process, and print events and conditions
  help                  Print this text

PATH is a directory with one file per kind, or a file (.yaml or .yml) for all definitions.
`<program> <command> --help` describes the options of `diff` and of the commands after it. Those after `diff` require
crdkit's feature `tools`.
";

/// A command of the command line.
pub(super) enum Command {
    Write(Option<PathBuf>),
    Check(Option<PathBuf>),
    Against(PathBuf),
    Print,
    Diff(Vec<OsString>),
    Tool(Tool, Vec<OsString>),
    Help,
}

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
        if let Some(tool) = Tool::from_name(&command) {
            return Ok(Self::Tool(tool, arguments.collect()));
        }
        let mut path = || arguments.next().map(PathBuf::from);
        let parsed = match command.as_str() {
            "write" => Self::Write(path()),
            "check" => match path() {
                Some(option) if option.as_os_str() == "--against" => {
                    Self::Against(path().ok_or("`--against` requires a file")?)
                }
                path => Self::Check(path),
            },
            "print" => Self::Print,
            "help" | "--help" | "-h" => return Ok(Self::Help),
            _ => return Err(format!("unknown command `{command}`")),
        };
        match arguments.next() {
            Some(extra) => {
                let extra = extra.to_string_lossy();
                Err(format!("unexpected argument `{extra}` of `{command}`"))
            }
            None => Ok(parsed),
        }
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
