//! A definition becomes Rust, and the Rust types have that definition.

use std::path::Path;

use crdkit::{CustomResourceExt, compare::definition_changes, emit::import};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

#[rustfmt::skip]
#[expect(unreachable_pub)] // as in a library
mod machine;

fn definition() -> CustomResourceDefinition {
    serde_saphyr::from_str(include_str!("imported/machine.yaml")).unwrap()
}

fn odd_definition() -> CustomResourceDefinition {
    serde_saphyr::from_str(include_str!("imported/odd.yaml")).unwrap()
}

/// Checks that a committed file, which is compiled, has the code of the import.
fn check_committed(file: &str, code: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/resources/imported").join(file);
    if std::env::var_os("CRDKIT_BLESS").is_some() {
        std::fs::write(&path, code).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(committed == code, "update it with CRDKIT_BLESS=1:\n{code}");
}

#[test]
fn the_committed_types_are_those_of_the_import() {
    let imported = import(&definition());
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    check_committed("machine.rs", &imported.code);
    check_committed("odd.rs", &import(&odd_definition()).code);
}

#[test]
fn imported_types_have_the_same_definition() {
    let (old, new) = (definition(), machine::Machine::crd());
    let changes = definition_changes(&old, &new).into_iter().map(|change| change.to_string());
    assert_eq!(changes.collect::<Vec<_>>(), [""; 0]);
    assert_eq!(new.metadata.labels, old.metadata.labels);
    assert_eq!(new.metadata.annotations, old.metadata.annotations);
    let spec = new.spec.versions[0].additional_printer_columns.clone();
    assert_eq!(spec, old.spec.versions[0].additional_printer_columns);
}
