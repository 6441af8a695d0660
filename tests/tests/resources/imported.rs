//! A definition becomes Rust, and the Rust types have that definition.

use std::path::Path;

use crdkit::{
    CustomResourceExt,
    compare::definition_changes,
    validate::{Severity, validate},
};
use crdkit_tools::import;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

#[rustfmt::skip]
#[expect(unreachable_pub)] // as in a library
mod machine;
#[rustfmt::skip]
#[expect(unreachable_pub)] // as in a library
#[expect(clippy::type_complexity)] // as the definition is
mod odd;
#[rustfmt::skip]
#[expect(unreachable_pub)] // as in a library
mod odd_root;

fn definition() -> CustomResourceDefinition {
    serde_saphyr::from_str(include_str!("imported/machine.yaml")).unwrap()
}

/// What the API server accepts, and Rust code cannot have as it is.
const ODD_DEFINITIONS: [(&str, &str); 2] =
    [("odd.rs", include_str!("imported/odd.yaml")), ("odd_root.rs", include_str!("imported/odd_root.yaml"))];

/// Asserts that a committed file, which is a module here, has this code.
#[track_caller]
fn assert_committed(file: &str, code: &str) {
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
    assert_committed("machine.rs", &imported.code);
}

/// The compiler and the generated tests accept them: they are modules of this program.
#[test]
fn the_committed_types_of_odd_definitions_are_those_of_the_import() {
    for (file, definition) in ODD_DEFINITIONS {
        assert_committed(file, &import(&serde_saphyr::from_str(definition).unwrap()).code);
    }
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

/// A test that the generated ones pass is no test if the code has what they reject in comments only.
#[test]
fn each_difference_of_odd_definitions_is_noted() {
    for (file, definition) in ODD_DEFINITIONS {
        let crd = serde_saphyr::from_str(definition).unwrap();
        let errors = validate(&crd).into_iter().filter(|violation| violation.severity == Severity::Error);
        assert_eq!(errors.collect::<Vec<_>>(), [], "{file}: the API server rejects it");
        let notes = import(&crd).notes;
        assert!(!notes.iter().any(|note| note.contains("the derive rejects")), "{file}: {notes:?}");
    }
}

#[test]
fn descriptions_of_odd_definitions_are_not_run_by_rustdoc() {
    let code = import(&serde_saphyr::from_str(include_str!("imported/odd.yaml")).unwrap()).code;
    let mut docs = code.lines().map(str::trim_start).filter(|line| line.starts_with("///"));
    assert!(!docs.any(|line| ["```", "~~~", "    ", "\t"].iter().any(|mark| line[3..].contains(mark))), "{code}");
}
