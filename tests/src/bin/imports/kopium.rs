//! The same definitions as types of kube-derive, by kopium.

use std::{error::Error, fs, path::Path, process::Command};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::write_manifest;

const DEPENDENCIES: &str = r#"k8s-openapi = { version = "0.29", default-features = false, features = ["schemars"] }
kube = { version = "5", default-features = false, features = ["derive"] }
schemars = "1""#;

/// What each program prints: the name, and `same`, `differs` with the changes, or `panics`.
const COMPARISON: &str = r#"
use crdkit::compare::definition_changes;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

pub fn compare(old: &str, new: fn() -> CustomResourceDefinition) {
    std::panic::set_hook(Box::new(|_| {}));
    let old: CustomResourceDefinition = serde_json::from_str(old).unwrap();
    let name = old.metadata.name.clone().unwrap_or_default();
    let Ok(new) = std::panic::catch_unwind(new) else { return println!("{name}\tpanics") };
    let changes: Vec<_> = definition_changes(&old, &new).iter().map(ToString::to_string).collect();
    let verdict = if changes.is_empty() { "same" } else { "differs" };
    println!("{name}\t{verdict}\t{}", changes.join("; ").replace('\n', " "));
}
"#;

/// Writes a program for each definition: types of one that do not compile prevent no other.
pub(crate) fn write_programs(
    kopium: &Path,
    output: &Path,
    crds: &[CustomResourceDefinition],
) -> Result<(), Box<dyn Error>> {
    let programs = output.join("src/bin");
    fs::create_dir_all(&programs)?;
    write_manifest(output, "kopium-types", DEPENDENCIES)?;
    fs::write(output.join("src/lib.rs"), COMPARISON)?;
    let mut missing = 0;
    for crd in crds {
        let (name, crd) = (crd.metadata.name.as_deref().unwrap_or_default(), in_stored_version(crd));
        let definition = programs.join(format!("{name}.json"));
        fs::write(&definition, serde_json::to_string(&crd)?)?;
        let generated = Command::new(kopium).arg("--filename").arg(&definition).arg("--auto").output()?;
        let code = String::from_utf8(generated.stdout)?;
        if !generated.status.success() || !code.contains("derive(CustomResource") {
            missing += 1;
            println!("kopium has no types for {name}");
            continue;
        }
        let root = quoted_after(&code, "root = ").unwrap_or(&crd.spec.names.kind);
        let main = format!(
            "fn main() {{\n    kopium_types::compare(include_str!(\"{name}.json\"), \
             <{root} as kube::CustomResourceExt>::crd);\n}}\n"
        );
        fs::write(programs.join(format!("{}.rs", name.replace('.', "-"))), format!("{code}\n{main}"))?;
    }
    println!("kopium: {} definitions, {missing} without types", crds.len());
    Ok(())
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
