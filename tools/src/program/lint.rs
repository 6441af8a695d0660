//! The command `lint`.

use std::{ffi::OsString, io};

use super::{
    super::{Arguments, FAILURE, Program},
    documents::definitions,
};
use crate::emit::{Crds, Lint, LintFinding};

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

impl Program<'_> {
    pub(super) fn lint(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        let options = ["--disable=", "--format=", "--from="];
        let parsed = Arguments::parse("lint", arguments, usize::MAX, &options).and_then(|parsed| {
            let is_json = parsed.choice("--format", &[("text", false), ("json", true)])?;
            Ok((selected(&parsed)?, is_json, parsed))
        });
        let (lints, is_json, parsed) = match parsed {
            Ok((.., parsed)) if parsed.is_help => return self.help(&usage()),
            Ok(parsed) => parsed,
            Err(mistake) => return self.wrong_usage(&mistake, &usage()),
        };
        let found = definitions(crds, &parsed)
            .and_then(|definitions| crds.lint_definitions(&definitions, &lints).map_err(|error| error.to_string()));
        let found = match found {
            Ok(found) => found,
            Err(error) => return self.fail(error),
        };
        if is_json {
            let all: Vec<_> = found.iter().map(LintFinding::json).collect();
            writeln!(self.out, "{:#}", serde_json::Value::from(all))?;
        } else {
            self.show_findings(&found)?;
        }
        let is_clean = found.iter().all(|finding| finding.allowed.is_some());
        Ok(if is_clean { 0 } else { FAILURE })
    }

    /// Lists the findings, and why each convention exists.
    fn show_findings(&mut self, found: &[LintFinding]) -> io::Result<()> {
        let open: Vec<_> = found.iter().filter(|finding| finding.allowed.is_none()).collect();
        for lint in Lint::ALL {
            let of_lint: Vec<_> = open.iter().filter(|finding| finding.lint == *lint).collect();
            if of_lint.is_empty() {
                continue;
            }
            writeln!(self.out, "{} {}", self.style.bold(lint.name()), self.style.dim(lint.reason()))?;
            for finding in of_lint {
                let LintFinding { definition, version, path, message, .. } = finding;
                writeln!(self.out, "  {definition} {version}{path}: {message}")?;
            }
        }
        let allowed = found.len() - open.len();
        let count = |count: usize| if count == 0 { "no".to_owned() } else { count.to_string() };
        let suffix = if allowed == 0 { String::new() } else { format!(", {allowed} allowed") };
        let findings = if open.len() == 1 { "finding" } else { "findings" };
        writeln!(self.out, "{} {findings}{suffix}", count(open.len()))
    }
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
