//! The command `diff`.

use std::{ffi::OsString, io, ops::ControlFlow};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::{Arguments, FAILURE, Program};
use crate::{
    crd::compare::ChangeSeverity,
    emit::{Crds, diff::CrdsDiff, exceptions::Exceptions, sources::Source},
};

const USAGE: &str = "\
Shows the changes of definitions, and whom each breaks.

Usage: <program> diff OLD [NEW] [OPTIONS]

OLD and NEW are one of
  PATH          a file (YAML or JSON), or a directory of files
  git:REV       the files that this program writes, in a git revision
  git:REV:PATH  a file or directory in a git revision
  cluster       the definitions in the cluster of the current context
Without NEW, the definitions of this program's types are the new ones.

Options:
  --format FORMAT      text (default), markdown or json
  --fail-on SEVERITY   breaking (default), risky or never

Exit codes:
  0  no change has the severity of `--fail-on`
  1  the definitions cannot be read
  2  the command line is invalid
  3  the most severe change is risky
  4  a change is breaking

Changes that are intended are listed in `crd-exceptions.txt`, one per line:
  existingFieldRemoval ats.example.com v1.spec.note No release had it.

Examples:
  <program> diff git:v1.2.0
  <program> diff cluster --fail-on risky
  <program> diff git:main git:HEAD --format markdown
";

/// The exit code for risky changes.
const RISKY: u8 = 3;
/// The exit code for breaking changes.
const BREAKING: u8 = 4;

#[derive(Clone, Copy)]
enum Format {
    Text,
    Markdown,
    Json,
}

impl Program<'_> {
    pub(super) fn diff(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        let parsed = Arguments::parse("diff", arguments, 2, &["--format=", "--fail-on="]);
        let read = self.read(USAGE, parsed, |parsed| {
            let formats = [("text", Format::Text), ("markdown", Format::Markdown), ("json", Format::Json)];
            let severities =
                [("breaking", Some(ChangeSeverity::Breaking)), ("risky", Some(ChangeSeverity::Risky)), ("never", None)];
            let choices = (parsed.choice("--format", &formats)?, parsed.choice("--fail-on", &severities)?);
            if parsed.positional.is_empty() {
                return Err("`diff` requires the old definitions".to_owned());
            }
            Ok(choices)
        })?;
        let (parsed, (format, fail_on)) = match read {
            ControlFlow::Continue(read) => read,
            ControlFlow::Break(code) => return Ok(code),
        };
        let sources: Vec<_> = parsed.positional.iter().map(|text| Source::parse(text)).collect();
        match compare(crds, &sources) {
            Ok(diff) => {
                self.show(&diff, format)?;
                Ok(exit_code(&diff, fail_on))
            }
            Err(error) => self.fail(error),
        }
    }

    fn show(&mut self, diff: &CrdsDiff, format: Format) -> io::Result<()> {
        let text = match format {
            Format::Text => diff.text(self.style),
            Format::Markdown => diff.to_markdown(),
            Format::Json => format!("{:#}\n", diff.to_json()),
        };
        self.out.write_all(text.as_bytes())
    }
}

fn exit_code(diff: &CrdsDiff, fail_on: Option<ChangeSeverity>) -> u8 {
    let worst = diff.worst().filter(|worst| fail_on.is_some_and(|limit| *worst >= limit));
    match worst {
        None | Some(ChangeSeverity::Compatible) => 0,
        Some(ChangeSeverity::Risky) => RISKY,
        Some(ChangeSeverity::Breaking) => BREAKING,
    }
}

const _: () = assert!(FAILURE != RISKY && FAILURE != BREAKING);

fn compare(crds: &Crds, sources: &[Source]) -> Result<CrdsDiff, String> {
    let exceptions = Exceptions::of(crds).map_err(|error| error.to_string())?;
    let rendered = crds.render().map_err(|error| error.to_string())?.crds;
    let names: Vec<_> = rendered.iter().filter_map(|crd| crd.metadata.name.clone()).collect();
    let read = |source: &Source| source.read(crds, &names);
    let old: Vec<CustomResourceDefinition> = read(&sources[0])?;
    let new = sources.get(1).map(read).transpose()?;
    Ok(CrdsDiff::new(&old, new.as_deref().unwrap_or(&rendered), &exceptions))
}
