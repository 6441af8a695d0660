//! Comparison with the definitions of an older release.

use std::{error::Error, path::Path};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use crate::compare::definition_changes;

/// Reads the definitions in a file: YAML with any number of documents, or JSON.
pub(super) fn read(path: &Path) -> Result<Vec<CustomResourceDefinition>, String> {
    try_read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

fn try_read(path: &Path) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    let mut crds = Vec::new();
    for document in documents(&std::fs::read_to_string(path)?)? {
        add(document, &mut crds)?;
    }
    match crds.is_empty() {
        true => Err("it contains no CustomResourceDefinition".into()),
        false => Ok(crds),
    }
}

#[cfg(any(feature = "yaml", test))]
fn documents(text: &str) -> Result<Vec<Value>, String> {
    serde_saphyr::from_multiple(text).map_err(|error| error.to_string())
}

#[cfg(not(any(feature = "yaml", test)))]
fn documents(text: &str) -> Result<Vec<Value>, String> {
    match serde_json::from_str(text) {
        Ok(document) => Ok(vec![document]),
        Err(error) => Err(format!("{error}; to read YAML, enable crdkit's feature `yaml`")),
    }
}

/// Adds the definitions in a document, which may be a list. Other kinds are ignored.
fn add(mut document: Value, crds: &mut Vec<CustomResourceDefinition>) -> serde_json::Result<()> {
    if document["kind"] == "CustomResourceDefinition" {
        crds.push(serde_json::from_value(document)?);
    } else if let Some(Value::Array(items)) = document.get_mut("items").map(Value::take) {
        for item in items {
            add(item, crds)?;
        }
    }
    Ok(())
}

/// Returns the breaking changes between definitions, one per line.
pub(super) fn breaking_changes(old: &[CustomResourceDefinition], new: &[CustomResourceDefinition]) -> Vec<String> {
    let mut lines = Vec::new();
    for old in old {
        let name = old.metadata.name.as_deref().unwrap_or_default();
        let mut all = new.iter();
        match all.find(|new| new.metadata.name == old.metadata.name) {
            Some(new) => {
                let changes = definition_changes(old, new).into_iter();
                lines.extend(changes.map(|change| format!("{name}: {change}")));
            }
            None => lines.push(format!("{name}: the definition is removed")),
        }
    }
    lines
}
