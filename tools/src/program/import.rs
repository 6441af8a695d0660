//! The command `import`.

use std::{ffi::OsString, io, ops::ControlFlow, path::Path};

use crdkit::__internal::emit::{
    program::{Arguments, FAILURE, Program},
    sources::Source,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::project::Project;

const USAGE: &str = "\
Writes Rust types whose definition is an existing one.

Usage: <program> import SOURCE [NAME...] [OPTIONS]

SOURCE is a file, a directory, git:REV:PATH or cluster. NAME is the name of a definition, such as
certificates.cert-manager.io; a cluster requires at least one.

Options:
  --output FILE  write the code into this file, which must not exist, instead of printing it

Differences that remain are comments in the code, and warnings.

Examples:
  <program> import certificates.yaml --output src/certificate.rs
  <program> import cluster certificates.cert-manager.io
";

pub(super) fn import(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("import", arguments, usize::MAX, &["--output="]);
    let (parsed, (source, names)) = match program.read(USAGE, parsed, source_and_names)? {
        ControlFlow::Continue(read) => read,
        ControlFlow::Break(code) => return Ok(code),
    };
    let definitions = match read(&source, &names, project) {
        Ok(definitions) => definitions,
        Err(error) => return program.fail(error),
    };
    let code = code(program, &definitions)?;
    match parsed.option("--output") {
        None => program.out.write_all(code.as_bytes()).map(|()| 0),
        Some(path) => create(program, Path::new(path), &code),
    }
}

/// Returns where the definitions are, and the names of those that are requested.
fn source_and_names(parsed: &Arguments) -> Result<(Source, Vec<String>), String> {
    let Some((source, names)) = parsed.positional.split_first() else {
        return Err("`import` requires a file or `cluster`".to_owned());
    };
    let source = Source::parse(source);
    if source == Source::Cluster && names.is_empty() {
        return Err("`import cluster` requires the name of a definition".to_owned());
    }
    Ok((source, names.iter().map(|name| name.to_string_lossy().into_owned()).collect()))
}

/// Returns the code of definitions, in a module each if there are several.
fn code(program: &mut Program<'_>, definitions: &[CustomResourceDefinition]) -> io::Result<String> {
    let mut code = String::new();
    for crd in definitions {
        let imported = crate::import::import(crd);
        for note in &imported.notes {
            writeln!(program.err, "warning: {}: {note}", crd.metadata.name.as_deref().unwrap_or_default())?;
        }
        match definitions.len() {
            1 => code = imported.code,
            _ => {
                let plural = crd.spec.names.plural.replace('-', "_");
                let inner: String = imported.code.lines().map(indented).collect();
                code += &format!("pub mod {plural} {{\n{inner}}}\n");
            }
        }
    }
    Ok(code)
}

fn create(program: &mut Program<'_>, path: &Path, code: &str) -> io::Result<u8> {
    let written = std::fs::File::create_new(path).and_then(|mut file| io::Write::write_all(&mut file, code.as_bytes()));
    match written {
        Ok(()) => writeln!(program.out, "wrote {}", path.display()).map(|()| 0),
        Err(error) => {
            writeln!(program.err, "cannot create `{}`: {error}", path.display())?;
            Ok(FAILURE)
        }
    }
}

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
}

/// Reads definitions: those with the names, or all if there are no names.
fn read(source: &Source, names: &[String], project: &Project) -> Result<Vec<CustomResourceDefinition>, String> {
    let mut definitions = source.read(project.crds(), names)?;
    let has_name = |crd: &CustomResourceDefinition, name: &str| crd.metadata.name.as_deref() == Some(name);
    if let Some(missing) = names.iter().find(|name| !definitions.iter().any(|crd| has_name(crd, name))) {
        return Err(format!("there is no definition `{missing}`"));
    }
    if !names.is_empty() {
        definitions.retain(|crd| names.iter().any(|name| has_name(crd, name)));
    }
    Ok(definitions)
}
