//! The commands `docs` and `samples`.

use std::{
    ffi::OsString,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use crdkit::__internal::emit::{
    check::relative_path,
    files,
    program::{Arguments, FAILURE, Program},
    sources::Source,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use crate::{
    docs::{reference_html, reference_markdown},
    project::Project,
    samples::{self, Sample, sample_file_name},
};

const DOCS_USAGE: &str = "\
Writes an API reference of the definitions. Kubernetes' own types, such as PodTemplateSpec, are links to their reference.

Usage: <program> docs [FILE] [OPTIONS]

Without FILE, the reference is printed.

Options:
  --format FORMAT  markdown or html; by default, by the extension of FILE, or markdown
  --from SOURCE    use other definitions: a file, a directory, git:REV or cluster

Examples:
  <program> docs docs/api.md
  <program> docs target/api.html
";

const SAMPLES_USAGE: &str = "\
Writes a minimal and a full object of each served version, with comments from the documentation.

Usage: <program> samples [DIRECTORY] [OPTIONS]

Without DIRECTORY, the objects are printed as one YAML stream. A field has its example, or a value that its schema allows.
Of Kubernetes' own types, such as PodTemplateSpec, only what is required is shown. Names are such that CEL rules accept them.
Fields for which no value was found are listed; if one of them is required, the exit code is 1.

Options:
  --from SOURCE    use other definitions: a file, a directory, git:REV or cluster

Examples:
  <program> samples config/samples
  <program> samples | kubectl apply --dry-run=server -f -
";

#[derive(Clone, Copy)]
enum Format {
    Markdown,
    Html,
}

pub(super) fn docs(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("docs", arguments, 1, &["--format=", "--from="]);
    let read = program.read(DOCS_USAGE, parsed, |parsed| {
        let is_html = parsed.positional.first().is_some_and(|path| {
            Path::new(path).extension().is_some_and(|extension| extension == "html" || extension == "htm")
        });
        let formats = [("markdown", Format::Markdown), ("html", Format::Html)];
        match parsed.option("--format") {
            None if is_html => Ok(Format::Html),
            _ => parsed.choice("--format", &formats),
        }
    })?;
    let (parsed, format) = match read {
        ControlFlow::Continue(read) => read,
        ControlFlow::Break(code) => return Ok(code),
    };
    let definitions = match definitions(project, &parsed) {
        Ok(definitions) => definitions,
        Err(error) => return program.fail(error),
    };
    progress(program, &definitions)?;
    let text = match format {
        Format::Markdown => reference_markdown(&definitions),
        Format::Html => reference_html(&definitions),
    };
    match parsed.positional.first() {
        Some(path) => write_files(program, &[(PathBuf::from(path), text)]),
        None => program.out.write_all(text.as_bytes()).map(|()| 0),
    }
}

pub(super) fn samples(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("samples", arguments, 1, &["--from="]);
    let parsed = match program.read(SAMPLES_USAGE, parsed, |_| Ok(()))? {
        ControlFlow::Continue((parsed, ())) => parsed,
        ControlFlow::Break(code) => return Ok(code),
    };
    let definitions = match definitions(project, &parsed) {
        Ok(definitions) => definitions,
        Err(error) => return program.fail(error),
    };
    progress(program, &definitions)?;
    let all: Vec<_> =
        definitions.iter().flat_map(|crd| samples::samples(crd).into_iter().map(move |it| (crd, it))).collect();
    let mut code = 0;
    for (_, sample) in &all {
        for problem in &sample.problems {
            writeln!(program.err, "warning: {} {}: {problem}", sample.kind, sample.version)?;
            code = code.max(if problem.is_required { FAILURE } else { 0 });
        }
    }
    let written = match parsed.positional.first() {
        Some(directory) => {
            let file = |(crd, sample): &(&CustomResourceDefinition, Sample)| {
                (Path::new(directory).join(sample_file_name(crd, sample)), sample.to_yaml().to_owned())
            };
            write_files(program, &all.iter().map(file).collect::<Vec<_>>())?
        }
        None => {
            let documents: String = all.iter().map(|(_, sample)| format!("---\n{}", sample.to_yaml())).collect();
            program.out.write_all(documents.as_bytes()).map(|()| 0)?
        }
    };
    Ok(code.max(written))
}

/// Names the definitions for whose objects the search takes noticeable time.
fn progress(program: &mut Program<'_>, definitions: &[CustomResourceDefinition]) -> io::Result<()> {
    /// A definition of this size in JSON takes about a second in a debug build.
    const LARGE: usize = 200_000;
    for crd in definitions.iter().filter(|crd| json!(crd).to_string().len() > LARGE) {
        writeln!(program.err, "searching for objects of {}, which has a large schema", crd.spec.names.kind)?;
    }
    Ok(())
}

/// Writes files that have changed, and lists them.
pub(super) fn write_files(program: &mut Program<'_>, contents: &[(PathBuf, String)]) -> io::Result<u8> {
    for (path, content) in contents {
        match files::write_if_changed(path, content) {
            Ok(true) => writeln!(program.out, "wrote {}", relative_path(path))?,
            Ok(false) => writeln!(program.out, "up to date: {}", relative_path(path))?,
            Err(error) => return program.fail(error),
        }
    }
    Ok(0)
}

/// Returns the definitions of the project, or of `--from`.
pub(super) fn definitions(project: &Project, arguments: &Arguments) -> Result<Vec<CustomResourceDefinition>, String> {
    let rendered = project.crds().render().map_err(|error| error.to_string())?.crds;
    let Some(source) = arguments.option("--from") else {
        return Ok(rendered);
    };
    let names: Vec<_> = rendered.iter().filter_map(|crd| crd.metadata.name.clone()).collect();
    Source::parse(source.as_ref()).read(project.crds(), &names)
}
