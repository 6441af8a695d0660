//! The roles that every cluster has.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::{ControlPlane, Request};

/// The roles that users refer to, and those that let users find out what they may do.
const NAMES: [&str; 10] = [
    "cluster-admin",
    "admin",
    "edit",
    "view",
    "system:aggregate-to-admin",
    "system:aggregate-to-edit",
    "system:aggregate-to-view",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
];

/// The file with a line for each object.
pub fn path() -> PathBuf {
    super::data_file("authorization/roles.jsonl")
}

/// The contents of the file.
///
/// # Errors
///
/// If the API server has no such objects.
pub async fn lines(plane: &ControlPlane) -> Result<String> {
    let mut lines = String::new();
    for plural in ["clusterroles", "clusterrolebindings"] {
        let path = format!("/apis/rbac.authorization.k8s.io/v1/{plural}");
        let list = plane.raw(Request::get(&path)).await;
        ensure!(list.is_success(), "{path}: {}", list.body);
        let (api_version, kind) = (&list.body["apiVersion"], list.body["kind"].as_str().unwrap_or_default());
        for object in list.body["items"].as_array().into_iter().flatten() {
            let mut object = object.clone();
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            if NAMES.contains(&name) {
                object["apiVersion"] = api_version.clone();
                object["kind"] = kind.trim_end_matches("List").into();
                remove_generated(&mut object["metadata"]);
                lines.push_str(&format!("{object}\n"));
            }
        }
    }
    Ok(lines)
}

fn remove_generated(metadata: &mut Value) {
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.retain(|name, _| ["name", "labels", "annotations"].contains(&name.as_str()));
    }
}
