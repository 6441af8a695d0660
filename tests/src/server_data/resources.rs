//! The built-in resources.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use crate::{ControlPlane, Request};

const DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
/// The verbs of most resources, which the file omits.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// The file with a line for each version of a resource.
pub fn path() -> PathBuf {
    super::data_file("builtin.jsonl")
}

/// The contents of the file: the resources whose objects are stored, the reviews of users and their permissions, and other resources
/// that are answered, in the order of discovery.
///
/// # Errors
///
/// If a document of the API server is not as expected.
pub async fn lines(plane: &ControlPlane) -> Result<String> {
    let mut lines = String::new();
    for path in ["/api", "/apis"] {
        let list = plane.raw(Request::get(path).accept(DISCOVERY)).await;
        ensure!(list.is_success(), "{path}: {}", list.body);
        for group in elements(&list.body["items"]) {
            let name = text(&group["metadata"]["name"]);
            for version in elements(&group["versions"]).filter(|_| is_builtin(name)) {
                for resource in elements(&version["resources"]) {
                    if let Some(line) = line(plane, name, text(&version["version"]), resource).await? {
                        lines.push_str(&format!("{line}\n"));
                    }
                }
            }
        }
    }
    Ok(lines)
}

pub(super) fn is_builtin(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// Returns the line of a version, or `None` if no objects are stored.
async fn line(plane: &ControlPlane, group: &str, version: &str, discovered: &Value) -> Result<Option<Value>> {
    let verbs: Vec<&str> = elements(&discovered["verbs"]).map(text).collect();
    let is_stored = ["create", "get", "list"].iter().all(|verb| verbs.contains(verb));
    let is_review = matches!(group, "authorization.k8s.io" | "authentication.k8s.io");
    let is_answered = group.is_empty() && matches!(text(&discovered["resource"]), "bindings" | "componentstatuses");
    if !is_stored && !is_review && !is_answered {
        return Ok(None);
    }
    let kind = text(&discovered["responseKind"]["kind"]);
    let is_namespaced = discovered["scope"] == "Namespaced";
    let mut line = Map::new();
    let mut set = |key: &str, value: Value| line.insert(key.to_owned(), value);
    set("group", group.into());
    set("version", version.into());
    set("plural", discovered["resource"].clone());
    set("singular", discovered["singularResource"].clone());
    set("kind", kind.into());
    if is_namespaced {
        set("namespaced", true.into());
    }
    for key in ["shortNames", "categories"] {
        if discovered[key].is_array() {
            set(key, discovered[key].clone());
        }
    }
    if verbs != VERBS {
        set("verbs", json!(verbs));
    }
    for subresource in elements(&discovered["subresources"]) {
        let name = text(&subresource["subresource"]);
        if matches!(name, "status" | "scale") {
            set(name, true.into());
        }
    }
    let collection = collection(group, version, text(&discovered["resource"]), is_namespaced);
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    if !verbs.contains(&"list") {
        set("columns", json!([]));
        return Ok(Some(line.into()));
    }
    if is_stored && let Some(names) = names(plane, &collection, &api_version, kind).await {
        set("names", names.into());
    }
    set("columns", columns(plane, &collection).await?);
    Ok(Some(line.into()))
}

fn collection(group: &str, version: &str, plural: &str, is_namespaced: bool) -> String {
    let prefix = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    let namespace = if is_namespaced { "/namespaces/default" } else { "" };
    format!("{prefix}{namespace}/{plural}")
}

/// Returns which names of objects are valid, by the errors about names that are valid for some kinds only; `None` for DNS
/// subdomains.
async fn names(plane: &ControlPlane, collection: &str, api_version: &str, kind: &str) -> Option<&'static str> {
    let object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "A:b" } });
    let answer = plane.raw(Request::post(format!("{collection}?dryRun=All"), object)).await;
    let causes = elements(&answer.body["details"]["causes"]).filter(|cause| cause["field"] == "metadata.name");
    let messages: Vec<_> = causes.map(|cause| text(&cause["message"])).collect();
    match messages.first() {
        Some(message) if message.contains("RFC 1123 subdomain") => None,
        Some(message) if message.contains("RFC 1123 label") => Some("label"),
        _ => Some("pathSegment"),
    }
}

/// Returns the columns of tables. The columns that most tables have are their names only.
async fn columns(plane: &ControlPlane, collection: &str) -> Result<Value> {
    let common = table_columns(plane, "/api/v1/configmaps").await?;
    let mut columns = table_columns(plane, collection).await?;
    for column in &mut columns {
        if matches!(text(&column["name"]), "Name" | "Age") && common.contains(column) {
            *column = column["name"].take();
        } else if let Some(fields) = column.as_object_mut() {
            fields.retain(|_, value| *value != "" && *value != 0);
        }
    }
    Ok(columns.into())
}

async fn table_columns(plane: &ControlPlane, collection: &str) -> Result<Vec<Value>> {
    let table = plane.raw(Request::get(collection).accept(TABLE)).await;
    let columns = table.body["columnDefinitions"].as_array();
    columns.cloned().with_context(|| format!("{collection}: {}", table.body))
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
