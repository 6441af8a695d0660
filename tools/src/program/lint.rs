//! The command `lint`.

use std::{ffi::OsString, io, ops::ControlFlow};

use crdkit::__internal::emit::program::{Arguments, FAILURE, Program};

use super::documents::definitions;
use crate::{
    lint::{Lint, LintFinding},
    project::Project,
};

const USAGE: &str = "\
Shows where the definitions do not follow conventions of the Kubernetes API.

Usage: <program> lint [NAME...] [OPTIONS]

NAME is a convention, `default` or `all`; without one, those marked with * are checked.

Options:
  --disable NAME   do not check this convention; can be repeated
  --format FORMAT  text (default) or json
  --from SOURCE    use other definitions: a file, a directory, git:REV or cluster

Exit codes: 0 nothing was found, or it is allowed; 1 something was found; 2 the command line is invalid.

Findings that are intended are listed in `crd-exceptions.txt`, one per line:
  nophase ats.example.com .status.phase Users know it from version 1.

Examples:
  <program> lint
  <program> lint all --disable nofloats --format json

Conventions:
";

pub(super) fn lint(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let options = ["--disable=", "--format=", "--from="];
    let parsed = Arguments::parse("lint", arguments, usize::MAX, &options);
    let read = program.read(&usage(), parsed, |parsed| Ok((parsed.is_json()?, selected(parsed)?)))?;
    let (parsed, (is_json, lints)) = match read {
        ControlFlow::Continue(read) => read,
        ControlFlow::Break(code) => return Ok(code),
    };
    let found = definitions(project, &parsed)
        .and_then(|definitions| project.lint_definitions(&definitions, &lints).map_err(|error| error.to_string()));
    let found = match found {
        Ok(found) => found,
        Err(error) => return program.fail(error),
    };
    if is_json {
        let all: Vec<_> = found.iter().map(LintFinding::json).collect();
        writeln!(program.out, "{:#}", serde_json::Value::from(all))?;
    } else {
        show_findings(program, &found)?;
    }
    let is_clean = found.iter().all(|finding| finding.allowed.is_some());
    Ok(if is_clean { 0 } else { FAILURE })
}

/// Lists the findings, and why each convention exists.
fn show_findings(program: &mut Program<'_>, found: &[LintFinding]) -> io::Result<()> {
    let open: Vec<_> = found.iter().filter(|finding| finding.allowed.is_none()).collect();
    for lint in Lint::ALL {
        let of_lint: Vec<_> = open.iter().filter(|finding| finding.lint == *lint).collect();
        if of_lint.is_empty() {
            continue;
        }
        writeln!(program.out, "{} {}", program.style.bold(lint.name()), program.style.dim(lint.reason()))?;
        for finding in of_lint {
            let LintFinding { definition, version, path, message, .. } = finding;
            writeln!(program.out, "  {definition} {version}{path}: {message}")?;
        }
    }
    let allowed = found.len() - open.len();
    let count = |count: usize| if count == 0 { "no".to_owned() } else { count.to_string() };
    let suffix = if allowed == 0 { String::new() } else { format!(", {allowed} allowed") };
    let findings = if open.len() == 1 { "finding" } else { "findings" };
    writeln!(program.out, "{} {findings}{suffix}", count(open.len()))
}

fn usage() -> String {
    let line = |lint: &Lint| {
        let mark = if lint.is_default() { "*" } else { " " };
        format!("  {mark} {:<19} {}\n", lint.name(), lint.reason())
    };
    let lints: String = Lint::ALL.iter().map(line).collect();
    format!("{USAGE}{lints}")
}

/// Returns the lints of a command line.
fn selected(arguments: &Arguments) -> Result<Vec<Lint>, String> {
    let mut lints: Vec<Lint> = Vec::new();
    let defaults = || Lint::ALL.iter().copied().filter(|lint| lint.is_default());
    for name in &arguments.positional {
        match name.to_string_lossy().as_ref() {
            "all" => lints.extend(Lint::ALL),
            "default" => lints.extend(defaults()),
            name => lints.push(named(name)?),
        }
    }
    if arguments.positional.is_empty() {
        lints.extend(defaults());
    }
    for name in arguments.all("--disable") {
        let disabled = named(name)?;
        lints.retain(|lint| *lint != disabled);
    }
    lints.sort_unstable();
    lints.dedup();
    Ok(lints)
}

fn named(name: &str) -> Result<Lint, String> {
    let found = Lint::ALL.iter().copied().find(|lint| lint.name() == name);
    found.ok_or_else(|| format!("there is no convention `{name}`"))
}
