//! Imports all definitions below a directory as Rust, and writes programs that compare what the types emit with them, and programs that
//! compare what they read and write with the same types of serde's own derives.
//!
//! `cargo run -p crdkit-tests --bin imports -- fetch DEFINITIONS` downloads the definitions in `modules.txt`. Then
//! `cargo run -p crdkit-tests --bin imports -- DEFINITIONS OUTPUT [KOPIUM]`, and `cargo run --bin imported-N` in `OUTPUT` for each
//! program, and `codec-N`. With the program kopium, `OUTPUT/kopium` has programs with its types: `cargo run --bin kopium-N`.
//! Skipped are definitions that the API server or the derive rejects, and those with the name of another one.

mod codec;
mod kopium;
mod modules;

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use crdkit::validate::{Severity, validate};
use crdkit_tests::definitions_below;
use crdkit_tools::import;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// How many definitions a program has: the compiler needs memory for each.
const PER_PROGRAM: usize = 40;

/// The manifest of generated programs. `DEPENDENCIES` has a line for each that only some of them have.
const MANIFEST: &str = r#"[package]
name = "NAME"
version = "0.0.0"
edition = "2024"

[dependencies]
crdkit = { path = "RUNTIME", default-features = false, features = ["client", "latest", "testing"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
DEPENDENCIES

[workspace]

[profile.dev]
debug = false
"#;

const DEPENDENCIES: &str = r#"k8s-openapi = { version = "0.29", default-features = false }"#;

/// The functions of each program.
const COMPARISON: &str = r#"
use crdkit::{compare::{Change, definition_changes}, k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition, merge::Versions};

/// Prints `same`, `noted` with all changes, or `differs` with those that no note mentions.
fn compare(name: &str, notes: &[&str], old: &str, versions: Versions) {
    let old: CustomResourceDefinition = serde_json::from_str(old).unwrap();
    let new = match versions.merge() {
        Ok(merged) => merged.crd,
        Err(error) => return println!("{name}\tinvalid\t{}\t{}", notes.len(), error.to_string().replace('\n', "; ")),
    };
    let changes = definition_changes(&old, &new);
    let surprising: Vec<_> = changes.iter().filter(|change| !is_noted(change, notes)).collect();
    let (verdict, shown) = match (changes.is_empty(), surprising.is_empty()) {
        (true, _) => ("same", Vec::new()),
        (false, true) => ("noted", changes.iter().collect()),
        (false, false) => ("differs", surprising),
    };
    let shown: Vec<_> = shown.iter().map(ToString::to_string).collect();
    println!("{name}\t{verdict}\t{}\t{}", notes.len(), shown.join("; ").replace('\n', " "));
}

/// Whether a note mentions the path, or what a change without one concerns, in the version of the change.
fn is_noted(change: &Change, notes: &[&str]) -> bool {
    let version = change.version.as_ref().map(|version| format!("{version}: ")).unwrap_or_default();
    let summary = change.summary();
    let mentions = |note: &str| match change.path.as_str() {
        "" => ["status subresource", "description"].iter().any(|part| note.contains(part) && summary.contains(part)),
        path => note.contains(&format!("`{path}`")),
    };
    notes.iter().any(|note| note.starts_with(&version) && mentions(note))
}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let (definitions, output, kopium) = match arguments.as_slice() {
        [command, output] if command.as_os_str() == "fetch" => return modules::fetch(output),
        [definitions, output] => (definitions, output, None),
        [definitions, output, kopium] => (definitions, output, Some(kopium)),
        _ => return Err("usage: imports fetch DEFINITIONS, imports DEFINITIONS OUTPUT [KOPIUM]".into()),
    };
    let mut skipped = 0;
    let mut accepted = Vec::new();
    for (name, crd) in definitions_below(definitions) {
        // The API server rejects definitions with errors, and the derive those with defects, which a note of the import states.
        let mut problems = validate(&crd).into_iter();
        match problems.find(|violation| matches!(violation.severity, Severity::Error | Severity::Defect)) {
            Some(problem) => {
                skipped += 1;
                println!("skipped {name}: {problem}");
            }
            None => accepted.push(crd),
        }
    }
    fs::create_dir_all(output.join("src/bin"))?;
    write_manifest(output, "imported", DEPENDENCIES)?;
    for (number, chunk) in accepted.chunks(PER_PROGRAM).enumerate() {
        write_program(&output.join(format!("src/bin/imported-{number}")), chunk)?;
    }
    for (number, chunk) in accepted.chunks(codec::PER_PROGRAM).enumerate() {
        codec::write_program(&output.join(format!("src/bin/codec-{number}")), chunk)?;
    }
    println!("{} definitions imported, {skipped} skipped", accepted.len());
    if let Some(kopium) = kopium {
        kopium::write_programs(kopium, &output.join("kopium"), &accepted)?;
    }
    Ok(())
}

/// Writes the manifest of programs that use crdkit.
fn write_manifest(folder: &Path, name: &str, dependencies: &str) -> Result<(), Box<dyn Error>> {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime").canonicalize()?;
    let manifest = MANIFEST.replace("NAME", name).replace("DEPENDENCIES", dependencies);
    fs::write(folder.join("Cargo.toml"), manifest.replace("RUNTIME", &runtime.display().to_string()))?;
    Ok(())
}

/// Writes a program with a module for each definition.
fn write_program(directory: &Path, crds: &[CustomResourceDefinition]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let (mut modules, mut calls) = (String::new(), String::new());
    for (number, crd) in crds.iter().enumerate() {
        let imported = import(crd);
        let module = format!("d{number}");
        fs::write(directory.join(format!("{module}.rs")), &imported.code)?;
        fs::write(directory.join(format!("{module}.json")), serde_json::to_string(crd)?)?;
        modules += &format!("#[allow(dead_code)]\nmod {module};\n");
        let name = crd.metadata.name.as_deref().unwrap_or_default();
        let types: String =
            roots(&imported.code, crd, &module).into_iter().map(|root| format!(".add::<{root}>()")).collect();
        let notes = &imported.notes;
        calls +=
            &format!("    compare({name:?}, &{notes:?}, include_str!(\"{module}.json\"), Versions::new(){types});\n");
    }
    let program = format!("{modules}{COMPARISON}\nfn main() {{\n{calls}}}\n");
    fs::write(directory.join("main.rs"), program)?;
    Ok(())
}

/// Returns the paths of the types of a definition, one for each version.
fn roots(code: &str, crd: &CustomResourceDefinition, module: &str) -> Vec<String> {
    let named = code.split_once("root = \"").and_then(|(_, rest)| rest.split_once('"'));
    let root = named.map_or(crd.spec.names.kind.as_str(), |(root, _)| root);
    match crd.spec.versions.as_slice() {
        [_] => vec![format!("{module}::{root}")],
        versions => versions.iter().map(|version| format!("{module}::{}::{root}", version.name)).collect(),
    }
}
