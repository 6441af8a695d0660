//! The same definitions as types of kube-derive, by kopium.

use std::{error::Error, fs, path::Path, process::Command};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{PER_PROGRAM, write_manifest};

const DEPENDENCIES: &str = r#"k8s-openapi = { version = "0.29", default-features = false, features = ["schemars"] }
kube = { version = "5", default-features = false, features = ["derive"] }
schemars = "1""#;

const MODULE_ATTRIBUTES: &str = "#[allow(dead_code, unused_imports, non_camel_case_types, non_snake_case)]";

/// The functions of each program.
const COMPARISON: &str = r#"
use crdkit::{compare::definition_changes, validate::{Severity, validate}};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;

/// Prints `same`, `differs` or `panics`, whether the API server accepts the definition, and the changes.
fn compare(name: &str, old: &str, new: fn() -> CustomResourceDefinition) {
    let old: CustomResourceDefinition = serde_json::from_str(old).unwrap();
    let Ok(new) = std::panic::catch_unwind(new) else { return println!("{name}\tpanics") };
    let is_rejected = validate(&new).iter().any(|violation| violation.severity == Severity::Error);
    let changes: Vec<_> = definition_changes(&old, &new).iter().map(ToString::to_string).collect();
    let verdict = if changes.is_empty() { "same" } else { "differs" };
    let accepted = if is_rejected { "rejected" } else { "accepted" };
    println!("{name}\t{verdict}\t{accepted}\t{}", changes.join("; ").replace('\n', " "));
}
"#;

/// Writes programs with a module for each definition.
pub(crate) fn write_programs(
    kopium: &Path,
    output: &Path,
    crds: &[CustomResourceDefinition],
) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(output.join("src/bin"))?;
    write_manifest(output, "kopium-types", DEPENDENCIES)?;
    let mut missing = 0;
    for (number, chunk) in crds.chunks(PER_PROGRAM).enumerate() {
        missing += write_program(kopium, &output.join(format!("src/bin/kopium-{number}")), chunk)?;
    }
    println!("kopium: {} definitions, {missing} without types", crds.len());
    Ok(())
}

/// Returns the number of definitions for which kopium has no types.
fn write_program(kopium: &Path, directory: &Path, crds: &[CustomResourceDefinition]) -> Result<usize, Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let (mut modules, mut calls, mut missing) = (String::new(), String::new(), 0);
    for (number, crd) in crds.iter().map(in_stored_version).enumerate() {
        let (name, module) = (crd.metadata.name.as_deref().unwrap_or_default(), format!("d{number}"));
        let definition = directory.join(format!("{module}.json"));
        fs::write(&definition, serde_json::to_string(&crd)?)?;
        let generated = Command::new(kopium).arg("--filename").arg(&definition).arg("--auto").output()?;
        let code = String::from_utf8(generated.stdout)?;
        if !generated.status.success() || !code.contains("derive(CustomResource") {
            missing += 1;
            println!("kopium has no types for {name}");
            continue;
        }
        let root = quoted_after(&code, "root = ").unwrap_or(&crd.spec.names.kind);
        calls += &format!("    compare({name:?}, include_str!(\"{module}.json\"), {module}::{root}::crd);\n");
        modules += &format!("{MODULE_ATTRIBUTES}\nmod {module};\n");
        fs::write(directory.join(format!("{module}.rs")), &code)?;
    }
    let quiet = "    std::panic::set_hook(Box::new(|_| {}));\n";
    fs::write(directory.join("main.rs"), format!("{modules}{COMPARISON}\nfn main() {{\n{quiet}{calls}}}\n"))?;
    Ok(missing)
}

/// kopium writes the types of one version.
fn in_stored_version(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    crd.spec.versions.retain(|version| version.storage);
    (crd.spec.conversion, crd.status) = (None, None);
    crd
}

fn quoted_after<'a>(code: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = code.split_once(&format!("{key}\""))?;
    Some(rest.split_once('"')?.0)
}
