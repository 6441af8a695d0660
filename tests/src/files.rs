//! Files of the repository that tests read.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

/// Returns the folder of a module such as `sigs.k8s.io/crdify@v0.6.` in the cache of Go's modules: that of the last version that
/// starts so. Prints that the test is skipped if there is none.
///
/// # Panics
///
/// If the cache cannot be read.
pub fn go_module(start: &str) -> Option<PathBuf> {
    let cache = env::var_os("GOMODCACHE")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join("go/pkg/mod")))?;
    let (parent, start) = start.rsplit_once('/').unwrap_or(("", start));
    let modules = fs::read_dir(cache.join(parent))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("the cache is readable").path());
    let has_start = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    let module = modules.filter(has_start).max();
    if module.is_none() {
        eprintln!("skipped: the cache of Go's modules has no {parent}/{start}");
    }
    module
}

/// The files at a path: the path itself, or everything below a folder.
///
/// # Panics
///
/// If a folder cannot be read.
pub fn files_below(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("the folder is readable");
    entries.flat_map(|entry| files_below(&entry.expect("the entry is readable").path())).collect()
}

/// Reads all definitions below a directory, by name. Files that are not YAML, such as templates, have none.
pub fn definitions_below(directory: &Path) -> BTreeMap<String, CustomResourceDefinition> {
    let mut files = files_below(directory);
    files.sort();
    let mut all = BTreeMap::new();
    for file in files {
        let is_manifest = file.extension().is_some_and(|it| ["yaml", "yml", "json"].iter().any(|known| it == *known));
        let text = if is_manifest { fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        if !text.contains("CustomResourceDefinition") {
            continue;
        }
        let documents: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap_or_default();
        let items = |document: Value| match document["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![document],
        };
        for document in documents.into_iter().flat_map(items) {
            if document["kind"] != "CustomResourceDefinition" || document["apiVersion"] != "apiextensions.k8s.io/v1" {
                continue;
            }
            if let Ok(crd) = serde_json::from_value::<CustomResourceDefinition>(document) {
                let name = crd.metadata.name.clone().unwrap_or_default();
                all.entry(name).or_insert(crd);
            }
        }
    }
    all
}
