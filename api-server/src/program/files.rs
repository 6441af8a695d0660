//! Objects in files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{ApiServer, objects::parse};

/// Where a document is.
struct Place {
    file: PathBuf,
    /// Counts from one.
    document: usize,
}

/// Adds the objects in files, and in the files of folders. Definitions come first, wherever they are.
pub(super) fn load(server: &ApiServer, paths: &[PathBuf]) -> Result<(), String> {
    let (mut places, mut documents) = (Vec::new(), Vec::new());
    for path in paths {
        let files = files_of(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        for file in files {
            let text =
                fs::read_to_string(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            let parsed = parse(&text).map_err(|error| format!("{} is no YAML: {error}", file.display()))?;
            for (at, document) in parsed.into_iter().enumerate() {
                for object in objects_of(document) {
                    places.push(Place { file: file.clone(), document: at + 1 });
                    documents.push(object);
                }
            }
        }
    }
    let refused = server.add_objects(&documents).into_iter().map(|(at, message)| {
        let Place { file, document } = &places[at];
        format!("{}, document {document}, {}: {message}", file.display(), name_of(&documents[at]))
    });
    let refused: Vec<_> = refused.collect();
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n")) }
}

/// Returns a file, or those in YAML and JSON in a folder and below it, in the order of their paths.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries: io::Result<Vec<_>> = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        let is_yaml = entry.extension().is_some_and(|it| it == "yaml" || it == "yml" || it == "json");
        if is_yaml || entry.is_dir() {
            files.extend(files_of(&entry)?);
        }
    }
    Ok(files)
}

/// Returns the objects of a document, which may be a list of them.
fn objects_of(mut document: Value) -> Vec<Value> {
    let is_list = document["kind"] == "List";
    match document.get_mut("items") {
        Some(Value::Array(items)) if is_list => std::mem::take(items),
        _ => vec![document],
    }
}

fn name_of(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match (text(&object["kind"]), text(&object["metadata"]["name"])) {
        (kind, _) if kind.is_empty() => "without a kind".to_owned(),
        (kind, name) => format!("{kind} \"{name}\""),
    }
}
