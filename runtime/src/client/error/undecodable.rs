use super::{JsonError, Target};

/// An answer that does not fit its type.
#[derive(Debug, thiserror::Error)]
#[error("cannot {target}: {}: {source}", self.place())]
#[non_exhaustive]
pub struct Undecodable {
    /// What was to be done.
    pub target: Target,
    /// The namespace of the object at fault, where it has one.
    pub namespace: Option<String>,
    /// The name of the object at fault, where it can be read.
    pub name: Option<String>,
    /// The path in the object at fault, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// What its `Deserialize` says.
    pub source: JsonError,
}

impl Undecodable {
    fn place(&self) -> String {
        let namespace = self
            .namespace
            .as_deref()
            .map(|namespace| format!("{namespace}/"));
        let object = match &self.name {
            Some(name) => format!("the object `{}{name}`", namespace.unwrap_or_default()),
            None => "the answer".to_owned(),
        };
        match &self.path {
            Some(path) => format!("{object} does not fit the type at `{path}`"),
            None => format!("{object} does not fit the type"),
        }
    }
}
