//! Reads answers, and says what is wrong with those that cannot be read.

mod page;
mod trimmed;

use serde::{
    Deserialize,
    de::{DeserializeOwned, Error as _},
};

use super::error::{Error, Target, Undecodable};

pub(crate) use page::{ManagedFields, page};
#[cfg(feature = "informer")]
pub(crate) use trimmed::Trimmed;

/// Why JSON does not fit a type.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) source: serde_json::Error,
}

impl Failure {
    pub(crate) fn into_error(self, target: Target) -> Error {
        Error::Decode(Box::new(self.about(target)))
    }

    pub(crate) fn about(self, target: Target) -> Undecodable {
        Undecodable {
            target,
            namespace: self.namespace,
            name: self.name,
            path: self.path,
            source: self.source,
        }
    }
}

/// A failure of no object that could be named.
impl From<serde_json::Error> for Failure {
    fn from(source: serde_json::Error) -> Self {
        Self {
            name: None,
            namespace: None,
            path: None,
            source,
        }
    }
}

/// Reads one object.
pub(crate) fn object<T: DeserializeOwned>(json: &[u8]) -> Result<T, Failure> {
    let json = text(json)?;
    serde_json::from_str(json).map_err(|source| explain::<T>(json, source))
}

/// An answer as text, which is read faster than bytes are: it is checked at once, not string by string.
pub(crate) fn text(json: &[u8]) -> Result<&str, serde_json::Error> {
    std::str::from_utf8(json).map_err(serde_json::Error::custom)
}

/// Reads once more, slowly, to find the place at fault.
pub(crate) fn explain<T: DeserializeOwned>(json: &str, source: serde_json::Error) -> Failure {
    let deserializer = &mut serde_json::Deserializer::from_str(json);
    let again = serde_path_to_error::deserialize::<_, T>(deserializer);
    let path = again.err().map(|error| error.path().to_string());
    let Identity { metadata } = serde_json::from_str(json).unwrap_or_default();
    Failure {
        name: metadata.name,
        namespace: metadata.namespace,
        path: path.filter(|path| path != "."),
        source,
    }
}

#[derive(Default, Deserialize)]
struct Identity {
    #[serde(default)]
    metadata: Name,
}

#[derive(Default, Deserialize)]
struct Name {
    name: Option<String>,
    namespace: Option<String>,
}
