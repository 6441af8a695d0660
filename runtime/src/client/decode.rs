//! Decodes responses, and reports what is wrong with those that do not decode.

pub(crate) mod decoder;
pub(crate) mod depth;
mod error_path;
pub(crate) mod identity;
mod page;
pub(crate) mod page_text;
pub(crate) mod without_managed_fields;

use serde::{
    Deserialize,
    de::{DeserializeOwned, Error as _},
};

use super::{
    error::{ClientOperation, Error, JsonError, Mismatch, Undecodable},
    limits::Limit,
    response_kind::{ExpectedTypes, NotExpected},
};
use crate::serde::object_text;

pub(crate) use page::{ManagedFields, page};

/// Why a response is rejected.
#[derive(Debug)]
pub(crate) enum ResponseError {
    /// The response contains another kind or object.
    Unexpected(Mismatch),
    /// The JSON does not match the type.
    TypeMismatch(Failure),
}

impl ResponseError {
    pub(crate) fn into_error(self, operation: ClientOperation) -> Error {
        match self {
            Self::Unexpected(mismatch) => {
                Error::Unexpected { operation: Box::new(operation), mismatch: Box::new(mismatch) }
            }
            Self::TypeMismatch(failure) => failure.into_error(operation),
        }
    }
}

impl From<NotExpected> for ResponseError {
    fn from(error: NotExpected) -> Self {
        match error {
            NotExpected::Mismatch(mismatch) => Self::Unexpected(mismatch),
            NotExpected::Malformed(error) => Self::TypeMismatch(error.into()),
        }
    }
}

/// Why JSON does not match a type.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) source: JsonError,
}

impl Failure {
    /// Creates the failure to decode a text as a type with `serde_json`.
    fn of<T: DeserializeOwned>(json: &str, source: serde_json::Error) -> Self {
        Self { path: path_of::<T>(json, &source), ..source.into() }
    }

    /// Sets the name and the namespace that the JSON of the object contains.
    fn named(self, json: &str) -> Self {
        let Identity { metadata } = serde_json::from_str(json).unwrap_or_default();
        Self { name: metadata.name, namespace: metadata.namespace, ..self }
    }

    pub(crate) fn into_error(self, operation: ClientOperation) -> Error {
        match self.source.allowed_depth() {
            Some(allowed) => Error::TooLarge { operation: Box::new(operation), limit: Limit::Depth, allowed },
            None => Error::Decode(Box::new(self.into_undecodable(operation))),
        }
    }

    pub(crate) fn into_undecodable(self, operation: ClientOperation) -> Undecodable {
        let source = self.source.quoting(operation.quotes_values);
        Undecodable { operation, namespace: self.namespace, name: self.name, path: self.path, source }
    }
}

/// An error without the name of an object.
impl<E: Into<JsonError>> From<E> for Failure {
    fn from(source: E) -> Self {
        Self { name: None, namespace: None, path: None, source: source.into() }
    }
}

impl From<Failure> for ResponseError {
    fn from(failure: Failure) -> Self {
        Self::TypeMismatch(failure)
    }
}

/// Decodes one object, after checking its type and its nesting depth.
pub(crate) fn typed_object<T: DeserializeOwned>(
    expected: &ExpectedTypes,
    json: &[u8],
    depth: usize,
) -> Result<T, ResponseError> {
    let text = text(json).map_err(Failure::from)?;
    expected.check_text(text)?;
    depth::check(text, depth)?;
    object_text::read(text).map_err(|source| explain::<T>(text, source).named(text).into())
}

/// Decodes one object.
pub(crate) fn object<T: DeserializeOwned>(json: &[u8]) -> Result<T, Failure> {
    let json = text(json)?;
    object_text::read(json).map_err(|source| explain::<T>(json, source).named(json))
}

/// Converts a response to text, which decodes faster than bytes: UTF-8 is checked once, not string by string.
pub(crate) fn text(json: &[u8]) -> Result<&str, serde_json::Error> {
    std::str::from_utf8(json).map_err(serde_json::Error::custom)
}

/// Describes an error of another decoder: decodes the JSON once more, to locate the invalid field. If this succeeds, the
/// first error is returned.
pub(crate) fn explain<T: DeserializeOwned>(json: &str, source: serde_json::Error) -> Failure {
    match serde_json::from_str::<T>(json) {
        Ok(_) => source.into(),
        Err(error) => Failure::of::<T>(json, error),
    }
}

/// Returns the path of the value that `serde_json` could not decode as a part of `T`.
pub(crate) fn path_of<T: DeserializeOwned>(json: &str, error: &serde_json::Error) -> Option<String> {
    error_path::error_path(json, error, &|json| serde_json::from_str::<T>(json).err())
}

/// Returns whether a text is an object with a name.
fn has_name(json: &str) -> bool {
    let Identity { metadata } = serde_json::from_str(json).unwrap_or_default();
    json.starts_with('{') && metadata.name.is_some_and(|name| !name.is_empty())
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

#[cfg(test)]
mod tests;
