//! Reads bytes: lines, pages, and the identity of objects.
//!
//! Nothing is copied: lines, items and identities are slices of the received text.

use serde::de::Error;

use super::ObjectKey;
use crate::client::{
    self,
    decode::{self, page_text::PageText},
    watch::line,
};

pub(crate) use crate::client::{
    decode::{ManagedFields, decoder::Decoder, identity::Identity},
    watch::{
        line::{Bookmark, Line},
        lines::{LineTooLong, Lines},
    },
};
pub(crate) use crate::json::scan::Scan;

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

/// Splits a page of a list.
pub(crate) fn page(json: &str) -> Result<PageText<'_>, Malformed> {
    Ok(PageText::read(json)?)
}

/// Reads the identity of an object.
pub(crate) fn identity(object: &str) -> Result<Identity<'_>, Malformed> {
    Ok(decode::identity::identity(object)?)
}

impl Identity<'_> {
    pub(crate) fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace.as_deref(), &self.name)
    }
}
