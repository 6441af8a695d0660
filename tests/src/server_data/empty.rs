//! The fields that Go writes of an object of one of Kubernetes' own kinds even if they are empty.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use crate::{ControlPlane, Request};

const WATCH: &str =
    "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";

/// The file with a line for each version of a kind that has such fields.
pub fn path() -> PathBuf {
    super::data_file("empty.jsonl")
}

/// The contents of the file: what the bookmark after the initial events of a watch has besides its type and its metadata.
///
/// # Errors
///
/// If a watch is not as expected.
pub async fn lines(plane: &ControlPlane) -> Result<String> {
    let mut lines = String::new();
    for resource in super::resources::lines(plane).await?.lines() {
        let resource: Value = serde_json::from_str(resource)?;
        let [group, version, plural, kind] =
            ["group", "version", "plural", "kind"].map(|name| resource[name].as_str().unwrap_or_default());
        let object = match group {
            // Reviews and the like cannot be watched. Some of them have no `spec`.
            "authentication.k8s.io" => Map::new(),
            "" if matches!(plural, "bindings" | "componentstatuses") => Map::new(),
            "authorization.k8s.io" => Map::from_iter([("spec".to_owned(), json!({}))]),
            _ => {
                let root = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
                let events = plane.raw(Request::get(format!("{root}/{version}/{plural}{WATCH}"))).await;
                ensure!(events.is_success(), "{kind}: {}", events.body);
                bookmark(&events.body).with_context(|| format!("a watch of {kind} has a bookmark"))?
            }
        };
        if !object.is_empty() {
            lines += &format!("{}\n", json!({ "group": group, "version": version, "kind": kind, "object": object }));
        }
    }
    Ok(lines)
}

/// Returns the fields of the bookmark, which is the last line.
fn bookmark(events: &Value) -> Option<Map<String, Value>> {
    let is_bookmark = |event: &Value| event["type"] == "BOOKMARK";
    let events: Vec<Value> = match events {
        Value::String(lines) => lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
        event => vec![event.clone()],
    };
    let mut object = events.into_iter().find(is_bookmark)?["object"].as_object()?.clone();
    object.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    Some(object)
}
