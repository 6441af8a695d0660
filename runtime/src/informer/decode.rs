//! From bytes to objects: lines, pages, who an object is, and the object itself.
//!
//! Nothing is copied on the way to [`Decoder::decode`]: lines, items and identities are parts of the text that came.

mod identity;
mod object_text;
mod page;

use serde::de::DeserializeOwned;

use crate::{
    client::{
        decode::{Failure, Trimmed, explain},
        watch,
    },
    parse::scan,
};

pub(crate) use crate::client::watch::{Bookmark, Line, LineTooLong, Lines};
pub(crate) use identity::{Identity, identity};
pub(crate) use object_text::OBJECT_TEXT;
pub(crate) use page::page;
pub(crate) use scan::Scan;

use identity::ManagedFields;

/// Text that is not what the API server sends.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Malformed(#[from] pub(crate) serde_json::Error);

/// Takes a line of a watch apart.
pub(crate) fn line(bytes: &[u8]) -> Result<Line<'_>, Malformed> {
    Ok(watch::line(bytes)?)
}

/// Reads the object of a bookmark.
pub(crate) fn bookmark(object: &str) -> Result<Bookmark, Malformed> {
    Ok(Bookmark::read(object)?)
}

/// Decodes objects.
#[derive(Debug)]
pub(crate) struct Decoder {
    keep_managed_fields: bool,
    /// The text of an object without what is cut out of it.
    trimmed: String,
}

impl Decoder {
    pub(crate) fn new(keep_managed_fields: bool) -> Self {
        Self {
            keep_managed_fields,
            trimmed: String::new(),
        }
    }

    /// Decodes an object, without `metadata.managedFields` unless they are kept. The identity is that of the object.
    ///
    /// What is left out has to be valid JSON, but need not fit its type.
    pub(crate) fn decode<T: DeserializeOwned>(
        &mut self,
        object: &str,
        identity: &Identity<'_>,
    ) -> Result<T, Failure> {
        let decoded = match &identity.managed_fields {
            _ if self.keep_managed_fields => object_text::read(object),
            ManagedFields::Nowhere => object_text::read(object),
            ManagedFields::Here { member, value } if is_valid(&object[value.clone()]) => {
                self.trimmed.clear();
                self.trimmed.push_str(&object[..member.start]);
                self.trimmed.push_str(&object[member.end..]);
                object_text::read(&self.trimmed)
            }
            _ => trimmed(object),
        };
        decoded.map_err(|error| {
            // The place that it names is to be one of the text that came.
            let again = serde_json::from_str::<T>(object).err();
            explain::<T>(object, again.unwrap_or(error))
        })
    }
}

fn is_valid(json: &str) -> bool {
    let mut scan = Scan::new(json);
    scan.value().and_then(|_| scan.end()).is_some()
}

/// Decodes an object that only serde understands.
fn trimmed<T: DeserializeOwned>(object: &str) -> Result<T, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    let decoded = T::deserialize(Trimmed::object(&mut deserializer))?;
    deserializer.end()?;
    Ok(decoded)
}

#[cfg(test)]
pub(crate) mod tests;
