//! The packages of a project that a person edits: itself, and its dependencies by path.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::project::cargo_program;

#[derive(Debug, PartialEq)]
pub(super) struct Local {
    /// The folders of the packages.
    pub(super) folders: BTreeSet<PathBuf>,
    /// The folder of the workspace.
    pub(super) workspace: PathBuf,
}

/// Returns the packages of a project as cargo sees them, or only the project if cargo cannot read its manifest.
pub(super) fn local(project: &Path) -> Local {
    let mut command = Command::new(cargo_program());
    command.args(["metadata", "--format-version", "1", "--offline"]).current_dir(project);
    let metadata = command.output().ok().and_then(|output| serde_json::from_slice(&output.stdout).ok());
    let found = metadata.and_then(|metadata| dependencies(&metadata, project));
    found.unwrap_or_else(|| Local { folders: BTreeSet::from([project.to_owned()]), workspace: project.to_owned() })
}

/// Returns the local packages that a project depends on, with the project.
fn dependencies(metadata: &Value, project: &Path) -> Option<Local> {
    let folder = |package: &Value| Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned());
    let packages = metadata["packages"].as_array()?;
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let canonical = project.canonicalize().ok()?;
    let is_project = |package: &&Value| folder(package).is_some_and(|it| it == project || it == canonical);
    let mut open = vec![packages.iter().find(is_project)?["id"].as_str()?];
    let mut seen: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let dependencies = nodes.iter().find(|node| node["id"] == id).map(|node| &node["dependencies"]);
        let ids = dependencies.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        open.extend(ids.filter(|id| seen.insert(id)));
    }
    let local = packages
        .iter()
        .filter(|package| package["source"].is_null() && package["id"].as_str().is_some_and(|id| seen.contains(id)));
    Some(Local { folders: local.filter_map(folder).collect(), workspace: metadata["workspace_root"].as_str()?.into() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dependencies_of_other_members_are_not_read() {
        let package = |name: &str, source: Value| json!({ "id": name, "manifest_path": format!("/w/{name}/Cargo.toml"), "source": source });
        let node = |id: &str, dependencies: &[&str]| json!({ "id": id, "dependencies": dependencies });
        let registry = || json!("registry+https://example.com");
        let folder = tempfile::tempdir().unwrap();
        let mut packages = [
            package("car", json!(null)),
            package("parts", json!(null)),
            package("road", json!(null)),
            package("serde", registry()),
        ];
        packages[0]["manifest_path"] = json!(folder.path().join("Cargo.toml"));
        let nodes =
            [node("car", &["serde", "parts"]), node("parts", &["serde"]), node("road", &[]), node("serde", &[])];
        let metadata = json!({ "packages": packages, "resolve": { "nodes": nodes }, "workspace_root": "/w" });
        let local = dependencies(&metadata, folder.path()).unwrap();
        let folders = BTreeSet::from([folder.path().to_owned(), "/w/parts".into()]);
        assert_eq!(local, Local { folders, workspace: "/w".into() });
    }
}
