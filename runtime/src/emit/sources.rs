//! Definitions from files, a git revision or a cluster.

use std::{
    error::Error,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::Crds;
#[cfg(any(feature = "yaml", test))]
use crate::yaml::read::{self, DuplicateKeys};

/// Where definitions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, or a directory with files.
    Path(PathBuf),
    /// A file or directory in a git revision.
    Git {
        /// The revision.
        revision: String,
        /// The path; without it, the destination of the set.
        path: Option<PathBuf>,
    },
    /// The cluster of the current context.
    Cluster,
}

impl Source {
    /// Parses `cluster`, `git:REV`, `git:REV:PATH` or a path.
    pub fn parse(text: &OsStr) -> Self {
        let Some(text) = text.to_str() else {
            return Self::Path(text.into());
        };
        match text.strip_prefix("git:") {
            Some(git) => match git.split_once(':') {
                Some((revision, path)) => Self::Git { revision: revision.to_owned(), path: Some(path.into()) },
                None => Self::Git { revision: git.to_owned(), path: None },
            },
            None if text == "cluster" => Self::Cluster,
            None => Self::Path(text.into()),
        }
    }

    /// Reads the definitions. `names` are those to read from a cluster. In a git revision, they are where the set has its own.
    pub fn read(&self, crds: &Crds, names: &[String]) -> Result<Vec<CustomResourceDefinition>, String> {
        match self {
            Self::Path(path) => read(path),
            Self::Git { revision, path } => {
                let path = path.clone().unwrap_or_else(|| crds.destination_path());
                read_git(revision, &path)
                    .map_err(|error| format!("cannot read `{}` of revision `{revision}`: {error}", path.display()))
            }
            Self::Cluster => read_cluster(names).map_err(|error| format!("cannot read the cluster: {error}")),
        }
    }
}

/// Reads the definitions in a file or in the files of a directory: YAML with any number of documents, or JSON.
pub(super) fn read(path: &Path) -> Result<Vec<CustomResourceDefinition>, String> {
    try_read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

fn try_read(path: &Path) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    let mut crds = Vec::new();
    if path.is_dir() {
        let entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        let mut files: Vec<_> =
            entries.into_iter().map(|entry| entry.path()).filter(|path| is_manifest(path)).collect();
        files.sort();
        for file in files {
            let parsed = parse(&std::fs::read_to_string(&file)?);
            crds.extend(parsed.map_err(|error| format!("{}: {error}", file.display()))?);
        }
    } else {
        crds = parse(&std::fs::read_to_string(path)?)?;
    }
    not_empty(crds)
}

fn not_empty(crds: Vec<CustomResourceDefinition>) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    if crds.is_empty() { Err("it contains no CustomResourceDefinition".into()) } else { Ok(crds) }
}

fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| matches!(extension, "yaml" | "yml" | "json"))
}

/// Returns the definitions in a text.
pub(super) fn parse(text: &str) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    let mut crds = Vec::new();
    for document in documents(text)? {
        add(document, &mut crds)?;
    }
    Ok(crds)
}

#[cfg(any(feature = "yaml", test))]
fn documents(text: &str) -> Result<Vec<Value>, String> {
    let documents = read::documents(text, DuplicateKeys::LastWins).map_err(|error| error.to_string())?;
    Ok(documents.into_iter().map(|document| document.value).collect())
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

/// Reads a file or a directory of a revision. The path is relative to the current directory, or absolute.
fn read_git(revision: &str, path: &Path) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    if revision.starts_with('-') {
        return Err("a revision does not start with `-`".into());
    }
    let path = std::path::absolute(path)?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else {
        return Err("the path has no name".into());
    };
    let show = |object: &str| git(parent, &["show", object]);
    let object = format!("{revision}:./{name}");
    let mut crds = Vec::new();
    if git(parent, &["cat-file", "-t", &object])?.trim() != "tree" {
        return not_empty(parse(&show(&object)?)?);
    }
    let files = git(parent, &["ls-tree", "-z", "--name-only", revision, &format!("./{name}/")])?;
    for file in files.split('\0').filter(|file| is_manifest(Path::new(file))) {
        let parsed = parse(&show(&format!("{revision}:./{file}"))?);
        crds.extend(parsed.map_err(|error| format!("{file}: {error}"))?);
    }
    not_empty(crds)
}

fn git(directory: &Path, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let ran = Command::new("git").arg("-C").arg(directory).args(arguments).output();
    let output = ran.map_err(|error| format!("git does not start: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into())
    }
}

/// Reads definitions from the cluster of the current context. Those that it does not have are absent.
#[cfg(feature = "client")]
fn read_cluster(names: &[String]) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let definitions = crate::Client::try_default().await?.resources::<CustomResourceDefinition>();
        let mut crds = Vec::new();
        for name in names {
            crds.extend(definitions.get_opt(name).await?);
        }
        Ok(crds)
    })
}

#[cfg(not(feature = "client"))]
fn read_cluster(_: &[String]) -> Result<Vec<CustomResourceDefinition>, Box<dyn Error>> {
    Err("enable crdkit's feature `client`".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_recognized() {
        let git = |revision: &str, path: Option<&str>| Source::Git {
            revision: revision.to_owned(),
            path: path.map(PathBuf::from),
        };
        for (text, expected) in [
            ("cluster", Source::Cluster),
            ("crds", Source::Path("crds".into())),
            ("git:HEAD~1", git("HEAD~1", None)),
            ("git:v1.0:deploy/crds", git("v1.0", Some("deploy/crds"))),
        ] {
            assert_eq!(Source::parse(OsStr::new(text)), expected);
        }
    }
}
