use serde::de::DeserializeOwned;

use crate::client::{
    decode::{Failure, explain_place},
    error::JsonError,
};

/// A compact object whose text does not fit its type.
#[derive(Debug, thiserror::Error)]
#[error("the object `{}` does not fit the type{}: {source}", self.object(), self.place())]
#[non_exhaustive]
pub struct Unreadable {
    /// The namespace of the object, where it has one.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// The path in the object, such as `spec.disks[0].size`.
    pub path: Option<String>,
    /// What the type's `Deserialize` says. Its line and column are those of the part that was decoded.
    pub source: JsonError,
}

impl Unreadable {
    /// Why the JSON of a field, or of a whole object, is no `T`.
    pub(super) fn new<T: DeserializeOwned>(
        field: Option<&str>,
        json: &str,
        source: serde_json::Error,
    ) -> Self {
        let Failure {
            path: inner,
            source,
            ..
        } = explain_place::<T>(json, source);
        let path = match (field, inner) {
            (Some(field), Some(inner)) if inner.starts_with('[') => Some(format!("{field}{inner}")),
            (Some(field), Some(inner)) => Some(format!("{field}.{inner}")),
            (Some(field), None) => Some(field.to_owned()),
            (None, inner) => inner,
        };
        Self {
            namespace: None,
            name: String::new(),
            path,
            source,
        }
    }

    /// The same of an object.
    pub(super) fn of(self, namespace: Option<&str>, name: Option<String>) -> Self {
        Self {
            namespace: namespace.map(str::to_owned),
            name: name.unwrap_or_default(),
            ..self
        }
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
