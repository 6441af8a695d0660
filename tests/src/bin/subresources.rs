//! Writes down which of Kubernetes' own kinds have a status and a scale, and which can be applied: what the API server's
//! discovery says, for the types and versions that k8s-openapi has.
//!
//! `cargo run -p crdkit-tests --bin subresources` writes the table of the client.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use crdkit_tests::{ControlPlane, Request};
use serde_json::Value;

const TABLE: &str = "runtime/src/client/kubernetes/table.rs";
const HEAD: &str = "\
// Written by `cargo run -p crdkit-tests --bin subresources` from the API server's discovery.
";

#[tokio::main]
async fn main() -> Result<()> {
    // Versions that are off by default have objects too.
    let flags = ["--runtime-config=api/all=true"];
    let plane = ControlPlane::start_with(&flags).context("there is no control plane")?;
    let types = types(&k8s_openapi_sources()?)?;
    let mut status = Table::new("status");
    let mut scale = Table::new("scale");
    let mut apply = Table::new("apply");
    for (kind, served) in discover(&plane).await {
        let Some(found) = types.get(&kind) else {
            continue;
        };
        if let (true, Some(status_type)) = (served.status, &found.status) {
            let row = format!("{}: {status_type};", kind.2);
            status.add(&found.with_status, &found.module, row);
        }
        if served.scale {
            scale.add(&found.versions, &found.module, format!("{};", kind.2));
        }
        if served.patch {
            apply.add(&found.versions, &found.module, format!("{};", kind.2));
        }
    }
    let newest = types.values().flat_map(|found| &found.versions).max().copied();
    let oldest = types.values().flat_map(|found| &found.versions).min().copied();
    let all = oldest.zip(newest).context("k8s-openapi has no types")?;
    let table = workspace().join(TABLE);
    let tables = [status, scale, apply].map(|table| table.render(all));
    fs::write(&table, format!("{HEAD}{}", tables.concat()))?;
    let formatted = Command::new("rustfmt").args(["--edition", "2024"]).arg(&table).status()?;
    anyhow::ensure!(formatted.success(), "rustfmt failed");
    Ok(())
}

type Kind = (String, String, String);

#[derive(Default)]
struct Served {
    status: bool,
    scale: bool,
    /// Whether objects can be patched, and so applied.
    patch: bool,
}

/// The kinds that the API server serves, with what it serves of them.
async fn discover(plane: &ControlPlane) -> BTreeMap<Kind, Served> {
    let mut kinds = BTreeMap::new();
    let groups = plane.raw(Request::get("/apis")).await.body;
    let mut paths = vec!["/api/v1".to_owned()];
    for version in elements(&groups["groups"]).flat_map(|group| elements(&group["versions"])) {
        paths.push(format!("/apis/{}", text(&version["groupVersion"])));
    }
    for path in paths {
        let list = plane.raw(Request::get(&path)).await.body;
        let group_version = text(&list["groupVersion"]);
        let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
        let has = |name: String| elements(&list["resources"]).any(|other| other["name"] == name);
        for resource in elements(&list["resources"]) {
            let name = text(&resource["name"]);
            let kind = (group.to_owned(), version.to_owned(), text(&resource["kind"]).to_owned());
            if !name.contains('/') {
                let served: &mut Served = kinds.entry(kind).or_default();
                served.status |= has(format!("{name}/status"));
                served.scale |= has(format!("{name}/scale"));
                served.patch |= elements(&resource["verbs"]).any(|verb| verb == "patch");
            }
        }
    }
    kinds
}

/// A type of k8s-openapi.
#[derive(Default)]
struct Type {
    module: String,
    /// The type of its status, in the same module.
    status: Option<String>,
    /// The minor versions of Kubernetes for which it is there.
    versions: BTreeSet<u32>,
    /// Those of them for which it has a status.
    with_status: BTreeSet<u32>,
}

fn types(sources: &Path) -> Result<BTreeMap<Kind, Type>> {
    let mut types = BTreeMap::new();
    for entry in fs::read_dir(sources)? {
        let folder = entry?.path();
        let name = folder.file_name().and_then(|name| name.to_str());
        let minor = name.and_then(|name| name.strip_prefix("v1_")?.parse().ok());
        if let Some(minor) = minor {
            read_types(&folder, "k8s_openapi", minor, &mut types)?;
        }
    }
    Ok(types)
}

fn read_types(folder: &Path, module: &str, minor: u32, types: &mut BTreeMap<Kind, Type>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            read_types(&path, &format!("{module}::{name}"), minor, types)?;
        } else if let Some((kind, status)) = read_type(&fs::read_to_string(&path)?) {
            let found: &mut Type = types.entry(kind).or_default();
            found.module = module.to_owned();
            found.versions.insert(minor);
            if status.is_some() {
                found.with_status.insert(minor);
                found.status = status;
            }
        }
    }
    Ok(())
}

/// The kind of the resource in a source file and the type of its status, if there is one.
fn read_type(source: &str) -> Option<(Kind, Option<String>)> {
    let after = |start: &str| source.lines().find_map(|line| line.strip_prefix(start));
    let constant = |name: &str| {
        let value = after(&format!("    const {name}: &'static str = \""))?;
        value.strip_suffix("\";").map(str::to_owned)
    };
    let kind = (constant("GROUP")?, constant("VERSION")?, constant("KIND")?);
    let status = after("    pub status: Option<crate::");
    let status = status.and_then(|path| path.strip_suffix(">,")?.rsplit("::").next());
    Some((kind, status.map(str::to_owned)))
}

/// Rows of a macro, by the versions for which they hold and the module whose types they name.
struct Table {
    name: &'static str,
    rows: BTreeMap<((u32, u32), String), Vec<String>>,
}

impl Table {
    fn new(name: &'static str) -> Self {
        let rows = BTreeMap::new();
        Self { name, rows }
    }

    fn add(&mut self, versions: &BTreeSet<u32>, module: &str, row: String) {
        if let Some((first, last)) = versions.first().zip(versions.last()) {
            let key = ((*first, *last), module.to_owned());
            self.rows.entry(key).or_default().push(row);
        }
    }

    fn render(&self, (oldest, newest): (u32, u32)) -> String {
        let mut text = String::new();
        for (((first, last), module), rows) in &self.rows {
            let rows = rows.join("\n    ");
            let mut block = format!("{}! {{\n    {module} =>\n    {rows}\n}}", self.name);
            if *last < newest {
                block = format!("k8s_openapi::k8s_if_le_1_{last}! {{\n{block}\n}}");
            }
            if *first > oldest {
                block = format!("k8s_openapi::k8s_if_ge_1_{first}! {{\n{block}\n}}");
            }
            writeln!(text, "\n{block}").expect("text can be written");
        }
        text
    }
}

fn k8s_openapi_sources() -> Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline"])
        .current_dir(workspace())
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let package = elements(&metadata["packages"]).find(|package| package["name"] == "k8s-openapi");
    let package = package.context("k8s-openapi is a dependency of the tests")?;
    let manifest = Path::new(text(&package["manifest_path"]));
    Ok(manifest.parent().context("a manifest is in a folder")?.join("src"))
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
