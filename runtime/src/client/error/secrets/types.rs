//! Checks that all error types are covered.

use std::{collections::BTreeSet, fs, path::Path};

/// Error types that are covered here or in the tests of informers, or that contain only names and numbers.
const COVERED: [&str; 37] = [
    "ApplyError",
    "ConfigError",
    "ConnectError",
    "DecodeError",
    "DeleteError",
    "DiscoveryError",
    "DuplicateKind",
    "Error",
    "EvictError",
    "FieldValueError",
    "InstallError",
    "InvalidLabel",
    "JsonError",
    "KubeError",
    "DataLoss",
    "Mismatch",
    "OwnerError",
    "PathError",
    "PluginFailure",
    "ScopeError",
    "StorageMigrationError",
    "Undecodable",
    "TypeMismatch",
    "UpdateError",
    "YamlError",
    // Of informers.
    "Malformed",
    "Overflow",
    "RunError",
    "SyncError",
    "DrainTimedOut",
    "UndecodablePart",
    "WaitError",
    "WaitUntilError",
    "WatchError",
    // It quotes the selector in the program.
    "InvalidLabelQuery",
    // A `KubeError` hides it.
    "SharedError",
    // Text in a test.
    "Secret",
];

#[test]
fn all_error_types_are_covered() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut types = BTreeSet::new();
    for folder in ["client", "informer"] {
        find_types(&source.join(folder), &mut types);
    }
    types.insert("Secret".to_owned());
    assert_eq!(types, COVERED.map(str::to_owned).into());
}

fn find_types(folder: &Path, types: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_types(&path, types);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            types.extend(types_of(&fs::read_to_string(path).unwrap()));
        }
    }
}

/// Returns the names of the types in a source text that derive or implement `Error`.
fn types_of(text: &str) -> Vec<String> {
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        text[..end].to_owned()
    };
    let mut is_error = false;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        is_error |= line.starts_with("#[derive(") && line.contains("thiserror::Error");
        let item = ["enum ", "struct "].iter().find_map(|item| line.split_once(item));
        if let (true, Some((before, rest))) = (is_error, item)
            && (before.is_empty() || before.starts_with("pub"))
        {
            found.push(name(rest));
            is_error = false;
        }
        let implemented = line.strip_prefix("impl").and_then(|line| line.split_once("Error for "));
        if let Some((_, rest)) = implemented {
            found.push(name(rest));
        }
    }
    found
}
