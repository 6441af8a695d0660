//! The program that writes, checks and prints definitions.

use std::env::{self, VarError};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

mod arguments;
mod command_line;
mod diff;

pub use self::arguments::Arguments;
use self::command_line::{Against, Command, own_command, usage};
use super::Crds;
use super::check::{check, relative_path};
use super::diff::CrdsDiff;
use super::error::{CheckError, WriteError};
use super::exceptions::Exceptions;
use super::files::Files;
use super::sources;
use super::style::Style;
use crate::crd::merge::Warning;

/// The exit code if files are out of date, or an operation fails.
pub const FAILURE: u8 = 1;
/// The exit code for an invalid command line.
pub const WRONG_USAGE: u8 = 2;

/// The variable with the name under which `cargo crdkit` runs this program.
const NAME: &str = "CRDKIT_PROGRAM_NAME";

impl Crds {
    /// Runs the program that writes, checks and prints the definitions; for a `main` function.
    ///
    /// `write [PATH]` writes the files that have changed. `check [PATH]` shows outdated files and the command that
    /// updates them, and exits with 1 if there are any. `print` prints all definitions. Without `PATH`, the files are
    /// those of [`directory`](Crds::directory) or [`file`](Crds::file).
    ///
    /// `diff OLD` shows the [changes](crate::compare) since other definitions, such as those of the last release: a file, a
    /// git revision (`git:REV`) or the cluster (`cluster`, with the feature `client`). It exits with 4 if a change is
    /// breaking. `check --against FILE` shows only the breaking changes since a file, and exits with 1 if there are any. Both
    /// respect the [exceptions](Crds::allow).
    /// Files are JSON or, with crdkit's feature `yaml`, YAML.
    ///
    /// `main` of the crate [`crdkit-tools`](https://docs.rs/crdkit-tools) runs a program with these commands and more.
    ///
    /// Each command describes itself with `--help`; those whose output a program may read have `--format json`. Output has
    /// colors in a terminal, unless `NO_COLOR` is set.
    pub fn main(&self) -> ExitCode {
        run_in_terminal("", |program, arguments| program.run(self, || Files::of(self), arguments))
    }
}

/// Runs a program with the arguments and the output of this process. `more_commands` are the lines about commands that it has
/// beside those of [`Program::run`].
pub fn run_in_terminal(
    more_commands: &str,
    run: impl FnOnce(&mut Program<'_>, Vec<OsString>) -> io::Result<u8>,
) -> ExitCode {
    let stdout = io::stdout();
    let style = Style::of_terminal(stdout.is_terminal());
    let mut program = Program { out: &mut stdout.lock(), err: &mut io::stderr().lock(), style, more_commands };
    let code = run(&mut program, env::args_os().skip(1).collect());
    // A reader that closes the pipe early, such as `head`, is not a failure.
    code.unwrap_or_default().into()
}

/// The output of the program. The functions return the exit code, or an error if the output cannot be written.
pub struct Program<'a> {
    /// The standard output.
    pub out: &'a mut dyn Write,
    /// The standard error.
    pub err: &'a mut dyn Write,
    /// How the output is colored.
    pub style: Style,
    /// The lines of the usage about further commands.
    pub more_commands: &'a str,
}

impl Program<'_> {
    /// Runs a command. `own_files` are those that are written and checked without a path.
    pub fn run(
        &mut self,
        crds: &Crds,
        own_files: impl FnOnce() -> Result<Files, WriteError>,
        arguments: Vec<OsString>,
    ) -> io::Result<u8> {
        let files = |path: Option<&Path>| match path {
            Some(path) => Files::of(&at(crds, path)),
            None => own_files(),
        };
        match Command::parse(arguments) {
            Ok(Command::Write(to)) => self.write(files(to.path.as_deref()), to.is_json),
            Ok(Command::Against(old)) => self.check_against(crds, &old),
            Ok(Command::Check(of)) if of.is_json => self.check_as_json(files(of.path.as_deref())),
            Ok(Command::Check(of)) => {
                let update = || own_command("write", of.path.as_deref());
                self.check(crds, files(of.path.as_deref()), update)
            }
            Ok(Command::Print) => self.print(crds),
            Ok(Command::Diff(arguments)) => self.diff(crds, arguments),
            Ok(Command::Help(Some(usage))) => self.help(usage),
            Ok(Command::Help(None)) => self.help(&usage(self.more_commands)),
            Err(mistake) => self.wrong_usage(&mistake, &usage(self.more_commands)),
        }
    }

    fn write(&mut self, files: Result<Files, WriteError>, is_json: bool) -> io::Result<u8> {
        let written = match files.and_then(|files| Ok(files.update()?)) {
            Ok(written) => written,
            Err(error) => return self.fail(error),
        };
        let done = [("wrote", written.written), ("removed", written.removed), ("up to date:", written.unchanged)];
        for (verb, paths) in done {
            for path in paths {
                if is_json {
                    self.json_line(verb.trim_end_matches(':'), &path)?;
                } else {
                    writeln!(self.out, "{verb} {}", relative_path(&path))?;
                }
            }
        }
        self.warn(&written.warnings)
    }

    /// Prints what is the case with a file.
    fn json_line(&mut self, state: &str, path: &Path) -> io::Result<()> {
        writeln!(self.out, "{}", json!({ "state": state, "path": relative_path(path) }))
    }

    fn check_as_json(&mut self, files: Result<Files, WriteError>) -> io::Result<u8> {
        let files = match files {
            Ok(files) => files,
            Err(error) => return self.fail(error),
        };
        let differences = match files.differences() {
            Ok(differences) => differences,
            Err(error) => return self.fail(error),
        };
        for difference in &differences {
            let state = match (&difference.actual, difference.expected) {
                (None, _) => "missing",
                (_, None) => "obsolete",
                (Some(_), Some(_)) => "outdated",
            };
            self.json_line(state, &difference.path)?;
        }
        self.warn(files.warnings())?;
        Ok(if differences.is_empty() { 0 } else { FAILURE })
    }

    fn check(
        &mut self,
        crds: &Crds,
        files: Result<Files, WriteError>,
        update: impl FnOnce() -> String,
    ) -> io::Result<u8> {
        let update = || crds.update_command.clone().unwrap_or_else(update);
        let files = files.map_err(CheckError::from);
        let checked = files.and_then(|files| check(&files, &Exceptions::of(crds)?, update).map(|()| files));
        match checked {
            Ok(files) => self.warn(files.warnings()),
            Err(error) => self.fail(error),
        }
    }

    fn check_against(&mut self, crds: &Crds, against: &Against) -> io::Result<u8> {
        let rendered = match crds.render() {
            Ok(rendered) => rendered,
            Err(error) => return self.fail(error),
        };
        let old = match sources::read(&against.path) {
            Ok(old) => old,
            Err(error) => return self.fail(error),
        };
        let exceptions = match Exceptions::of(crds) {
            Ok(exceptions) => exceptions,
            Err(error) => return self.fail(error),
        };
        let diff = CrdsDiff::new(&old, &rendered.crds, &exceptions).breaking();
        if against.is_json {
            writeln!(self.out, "{:#}", diff.to_json())?;
        }
        for definition in diff.definitions.iter().filter(|_| !against.is_json) {
            for it in &definition.changes {
                writeln!(self.out, "{}: {}", definition.name, it.change)?;
            }
        }
        Ok(if diff.definitions.is_empty() { 0 } else { FAILURE })
    }

    fn print(&mut self, crds: &Crds) -> io::Result<u8> {
        let rendered = match crds.render() {
            Ok(rendered) => rendered,
            Err(error) => return self.fail(error),
        };
        let yaml = crds.stream(&rendered.crds);
        self.out.write_all(yaml.as_bytes())?;
        self.warn(&rendered.warnings)
    }

    fn warn(&mut self, warnings: &[Warning]) -> io::Result<u8> {
        for warning in warnings {
            writeln!(self.err, "warning: {warning}")?;
        }
        Ok(0)
    }

    /// Returns the arguments of a command with what `read` makes of them; or the exit code, if they request the description of the
    /// command, or something is wrong with them, which is printed.
    pub fn read<T>(
        &mut self,
        usage: &str,
        parsed: Result<Arguments, String>,
        read: impl FnOnce(&Arguments) -> Result<T, String>,
    ) -> io::Result<ControlFlow<u8, (Arguments, T)>> {
        if parsed.as_ref().is_ok_and(|arguments| arguments.is_help) {
            return self.help(usage).map(ControlFlow::Break);
        }
        match parsed.and_then(|arguments| read(&arguments).map(|meaning| (arguments, meaning))) {
            Ok(read) => Ok(ControlFlow::Continue(read)),
            Err(mistake) => self.wrong_usage(&mistake, usage).map(ControlFlow::Break),
        }
    }

    /// Prints the error of an operation.
    pub fn fail(&mut self, error: impl ToString) -> io::Result<u8> {
        writeln!(self.err, "{}", error.to_string())?;
        Ok(FAILURE)
    }

    /// Prints the description of a command.
    pub fn help(&mut self, usage: &str) -> io::Result<u8> {
        self.out.write_all(named(usage, env::var(NAME)).as_bytes()).map(|()| 0)
    }

    /// Prints what is wrong with a command line, and the description of the command.
    pub fn wrong_usage(&mut self, mistake: &str, usage: &str) -> io::Result<u8> {
        write!(self.err, "error: {mistake}\n\n{}", named(usage, env::var(NAME)))?;
        Ok(WRONG_USAGE)
    }
}

/// Returns the description of a command with the name of the program.
fn named(usage: &str, name: Result<String, VarError>) -> String {
    name.map_or_else(|_| usage.to_owned(), |name| usage.replace("<program>", &name))
}

/// Returns the set with the destination of a command line, which is relative to the current directory.
fn at(crds: &Crds, path: &Path) -> Crds {
    let crds = crds.clone();
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => crds.file(path),
        _ => crds.directory(path),
    }
}

#[cfg(test)]
mod tests;
