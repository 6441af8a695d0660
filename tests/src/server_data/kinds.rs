//! The schemas of Kubernetes' own kinds.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::resources::is_builtin;
use crate::{ControlPlane, Request};

const REFERENCE: &str = "#/components/schemas/";

/// The file with a line for each type.
pub fn path() -> PathBuf {
    super::data_file("kinds.jsonl")
}

/// The contents of the file: the schemas of the kinds of `builtin.jsonl`, of their lists, and of the types in them.
///
/// # Errors
///
/// If a document of the API server is not as expected.
pub async fn lines(plane: &ControlPlane) -> Result<String> {
    let index = plane.raw(Request::get("/openapi/v3")).await;
    let paths = index.body["paths"].as_object().context("the index has paths")?;
    let mut schemas = BTreeMap::new();
    for path in paths.keys().filter(|path| is_document_of_builtin(path)) {
        let document = plane.raw(Request::get(format!("/openapi/v3/{path}"))).await;
        ensure!(document.is_success(), "{path}: {}", document.body);
        let found = document.body["components"]["schemas"].as_object().context("a document has schemas")?.clone();
        schemas.extend(found);
    }
    let mut needed = BTreeSet::new();
    for resource in super::resources::lines(plane).await?.lines() {
        let resource: Value = serde_json::from_str(resource)?;
        for kind in [resource["kind"].clone(), format!("{}List", resource["kind"].as_str().unwrap_or_default()).into()]
        {
            let expected = json!({ "group": resource["group"], "version": resource["version"], "kind": kind });
            let is_kind = |schema: &Value| {
                let kinds = schema["x-kubernetes-group-version-kind"].as_array();
                kinds.is_some_and(|kinds| kinds.contains(&expected))
            };
            // Kinds that are not stored, such as reviews, have no lists.
            if let Some((name, _)) = schemas.iter().find(|(_, schema)| is_kind(schema)) {
                collect(name, &schemas, &mut needed);
            }
        }
    }
    let lines = needed.iter().map(|name| json!({ "name": name, "schema": schemas[name] }).to_string() + "\n");
    Ok(lines.collect())
}

fn is_document_of_builtin(path: &str) -> bool {
    let group = path.strip_prefix("apis/").and_then(|rest| rest.split_once('/'));
    path.starts_with("api/") || group.is_some_and(|(group, _)| is_builtin(group))
}

/// Adds a type and the types that it contains.
fn collect(name: &str, schemas: &BTreeMap<String, Value>, needed: &mut BTreeSet<String>) {
    if needed.insert(name.to_owned())
        && let Some(schema) = schemas.get(name)
    {
        references(schema, &mut |name| collect(name, schemas, needed));
    }
}

fn references(schema: &Value, found: &mut impl FnMut(&str)) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = schema["$ref"].as_str().and_then(|it| it.strip_prefix(REFERENCE)) {
                found(name);
            }
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
