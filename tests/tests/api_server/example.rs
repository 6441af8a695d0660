//! The resources of the example on both servers, and comparisons of responses.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    normalize::is_age,
};

pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// The files with the definitions of the example.
pub(crate) fn definition_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/crds/crds");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The definitions of the example, without their conversion, for which no webhook runs: a real server's cache of another version
/// does not start without it, and when it notices that is a matter of time.
fn definitions() -> Vec<Value> {
    let read = |file: &PathBuf| -> Value { serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap() };
    let mut definitions: Vec<_> = definition_files().iter().map(read).collect();
    definitions
        .iter_mut()
        .for_each(|definition| drop(definition["spec"].as_object_mut().unwrap().remove("conversion")));
    definitions
}

/// Returns both servers with the definitions of the example.
pub(crate) async fn both(namespace: &str) -> Option<Both> {
    Both::with_definitions(namespace, &definitions()).await
}

pub(crate) fn get(path: impl Into<String>) -> Step {
    Step::new("GET", path, Value::Null)
}

/// Compares the responses after a change of both.
pub(crate) async fn compare(both: &mut Both, steps: impl IntoIterator<Item = Step>, change: impl Fn(&mut [Value; 2])) {
    let mut differences = Vec::new();
    for step in steps {
        let mut responses = both.respond(&step).await;
        change(&mut responses);
        let [ours, theirs] = responses;
        differences.extend(Both::difference(&step, ours, theirs).map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

/// Returns an object of the example.
pub(crate) fn machine(name: &str) -> Value {
    json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine",
        "metadata": { "name": name, "labels": { "app": name, "tier": "web" } },
        "spec": {
            "cpu": 1, "memory": "1Gi", "image": "alpine", "replicas": 3,
            "disks": [{ "name": "root", "size": "1Gi", "boot": true }],
        },
    })
}

/// Replaces times and ages, which depend on when a request is processed.
pub(crate) fn hide_times(responses: &mut [Value; 2]) {
    fn hide(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(hide),
            Value::Object(members) => members.values_mut().for_each(hide),
            Value::String(text) => {
                let is_time = text.len() == "2024-01-01T00:00:00Z".len() && text.ends_with('Z');
                if is_time || is_age(text) {
                    *value = "<time>".into();
                }
            }
            _ => {}
        }
    }
    responses.iter_mut().for_each(hide);
}
