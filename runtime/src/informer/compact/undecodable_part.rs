use serde::de::DeserializeOwned;

use crate::client::{
    decode::{Failure, explain},
    error::JsonError,
};

/// A compact object, or a part of it, could not be decoded.
#[derive(Debug, thiserror::Error)]
#[error("failed to decode the object `{}`{}: {source}", self.object(), self.place())]
#[non_exhaustive]
pub struct UndecodablePart {
    /// The namespace of the object; `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// The path in the object, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// The error of the `Deserialize` impl. Its line and column refer to the part that was decoded.
    pub source: JsonError,
}

impl UndecodablePart {
    /// Creates an error for the JSON of a field, or of a whole object, that cannot be decoded as `T`.
    pub(super) fn new<T: DeserializeOwned>(field: Option<&str>, json: &str, source: serde_json::Error) -> Self {
        let Failure { path: inner, source, .. } = explain::<T>(json, source);
        let path = match (field, inner) {
            (Some(field), Some(inner)) if inner.starts_with('[') => Some(format!("{field}{inner}")),
            (Some(field), Some(inner)) => Some(format!("{field}.{inner}")),
            (Some(field), None) => Some(field.to_owned()),
            (None, inner) => inner,
        };
        Self { namespace: None, name: String::new(), path, source }
    }

    /// Sets the namespace and name of the object.
    pub(super) fn with_object(self, namespace: Option<&str>, name: Option<String>) -> Self {
        Self { namespace: namespace.map(str::to_owned), name: name.unwrap_or_default(), ..self }
    }

    fn object(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.clone(),
        }
    }

    fn place(&self) -> String {
        let path = self.path.as_ref();
        path.map(|path| format!(" at `{path}`")).unwrap_or_default()
    }
}
