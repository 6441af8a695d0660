//! Decodes bytes: lines, pages, the identity of objects, and objects.
//!
//! Nothing is copied before [`Decoder::decode`]: lines, items and identities are slices of the received text.

mod identity;
mod page;

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Error};

use crate::{
    client::{
        self,
        decode::{Failure, depth, explain, without_managed_fields::WithoutManagedFields},
        limits::MAX_DEPTH,
        watch::line,
    },
    json::scan,
    serde::object_text::{self, ObjectText},
};

pub(crate) use crate::client::watch::{
    line::{Bookmark, Line},
    lines::{LineTooLong, Lines},
};
pub(crate) use identity::{Identity, identity};
pub(crate) use page::page;
pub(crate) use scan::Scan;

use identity::ManagedFields;

/// An error for text that the API server should not send.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Malformed(#[from] pub(crate) serde_json::Error);

/// Creates an error for a missing field that the API server always sends.
pub(crate) fn missing(field: &'static str) -> Malformed {
    serde_json::Error::missing_field(field).into()
}

/// Converts a response to text.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    Ok(client::decode::text(bytes)?)
}

/// Parses a line of a watch.
pub(crate) fn line(bytes: &[u8]) -> Result<Line<'_>, Malformed> {
    Ok(line::line(bytes)?)
}

/// Parses the object of a bookmark.
pub(crate) fn bookmark(object: &str) -> Result<Bookmark, Malformed> {
    Ok(Bookmark::read(object)?)
}

/// Decodes objects.
#[derive(Debug)]
pub(crate) struct Decoder {
    keep_managed_fields: bool,
    /// Maximum nesting depth of objects.
    depth: usize,
    /// The text of an object without `managedFields`, reused between objects.
    trimmed: String,
}

impl Decoder {
    pub(crate) fn new(keep_managed_fields: bool) -> Self {
        Self { keep_managed_fields, depth: MAX_DEPTH, trimmed: String::new() }
    }

    pub(crate) fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Decodes an object, without `metadata.managedFields` unless the decoder keeps them. `identity` must be that of
    /// the object.
    ///
    /// The omitted fields must be valid JSON, but of any type.
    pub(crate) fn decode<T: DeserializeOwned>(&mut self, object: &str, identity: &Identity<'_>) -> Result<T, Failure> {
        let with_object = |failure: Failure| Failure {
            name: Some(identity.name.clone().into_owned()),
            namespace: identity.namespace.clone().map(Cow::into_owned),
            ..failure
        };
        depth::check(object, self.depth).map_err(with_object)?;
        let decoded = match &identity.managed_fields {
            _ if self.keep_managed_fields => object_text::read(object),
            ManagedFields::Absent => object_text::read(object),
            ManagedFields::At { member, value } if is_valid(&object[value.clone()]) => {
                self.trimmed.clear();
                self.trimmed.push_str(&object[..member.start]);
                self.trimmed.push_str(&object[member.end..]);
                object_text::read(&self.trimmed)
            }
            // Only serde can locate it.
            _ => read_trimmed(object),
        };
        // Errors refer to the received text.
        decoded.map_err(|error| with_object(explain::<T>(object, error)))
    }
}

/// Decodes an object from its text, without `metadata.managedFields` for types that do not request the text.
fn read_trimmed<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    T::deserialize(WithoutManagedFields::object(ObjectText(text)))
}

fn is_valid(json: &str) -> bool {
    let mut scan = Scan::new(json);
    scan.value().and_then(|_| scan.end()).is_some()
}

#[cfg(test)]
pub(crate) mod tests;
