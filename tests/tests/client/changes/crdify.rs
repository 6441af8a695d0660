//! crdify has no check that is missing here.

use std::{collections::BTreeSet, fs, path::Path};

use crdkit::compare::Check;
use crdkit_tests::go_module;

/// The names of the checks of the last release of crdify.
const RELEASED: &str = include_str!("crdify.txt");
const MODULE: &str = "sigs.k8s.io/crdify@v0.6.";
/// Those that its main branch has in addition.
const UNRELEASED: [&str; 8] =
    ["allOf", "anyOf", "exclusiveMaximum", "format", "not", "oneOf", "uniqueItems", "xvalidations"];

#[test]
fn each_check_of_crdify_has_its_name_here() {
    let ours: BTreeSet<_> = Check::ALL.iter().map(|check| check.name()).collect();
    let missing: Vec<_> = RELEASED.lines().chain(UNRELEASED).filter(|name| !ours.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Adds the names of the validations that the Go files of a folder define.
fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, names);
        } else if !path.to_string_lossy().ends_with("_test.go") {
            let source = fs::read_to_string(&path).unwrap();
            let constants = source
                .lines()
                .filter_map(|line| line.strip_prefix("const ")?.split_once(" = "))
                .filter(|(name, _)| *name == "name" || name.ends_with("ValidationName"));
            names.extend(constants.map(|(_, value)| value.trim_matches('"').to_owned()));
        }
    }
}

#[test]
fn the_list_is_that_of_the_sources() {
    let Some(module) = go_module(MODULE) else {
        return;
    };
    let mut found = BTreeSet::new();
    collect(&module.join("pkg/validations"), &mut found);
    assert_eq!(found, RELEASED.lines().map(str::to_owned).collect());
}
