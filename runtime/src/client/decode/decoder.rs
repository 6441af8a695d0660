//! Decodes objects from their texts.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::{
    Failure, ManagedFields, depth, explain,
    identity::{Identity, ManagedFieldsAt},
    without_managed_fields::WithoutManagedFields,
};
use crate::{
    json::scan::Scan,
    serde::object_text::{self, ObjectText},
};

/// Decodes objects.
#[derive(Debug)]
pub(crate) struct Decoder {
    managed_fields: ManagedFields,
    /// Maximum nesting depth of objects.
    depth: usize,
    /// The text of an object without `managedFields`, reused between objects.
    trimmed: String,
}

impl Decoder {
    pub(crate) fn new(managed_fields: ManagedFields, depth: usize) -> Self {
        Self { managed_fields, depth, trimmed: String::new() }
    }

    /// Decodes an object. `identity` must be that of the object.
    ///
    /// `metadata.managedFields` that are dropped must be valid JSON, but of any type.
    pub(crate) fn decode<T: DeserializeOwned>(&mut self, object: &str, identity: &Identity<'_>) -> Result<T, Failure> {
        let with_object = |failure: Failure| Failure {
            name: Some(identity.name.clone().into_owned()),
            namespace: identity.namespace.clone().map(Cow::into_owned),
            ..failure
        };
        depth::check(object, self.depth).map_err(with_object)?;
        let decoded = match &identity.managed_fields {
            _ if self.managed_fields == ManagedFields::Retained => object_text::read(object),
            ManagedFieldsAt::Absent => object_text::read(object),
            ManagedFieldsAt::Member { member, value } if is_valid(&object[value.clone()]) => {
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
    T::deserialize(WithoutManagedFields::object(ObjectText::of_members(text)))
}

fn is_valid(json: &str) -> bool {
    let mut scan = Scan::new(json);
    scan.value().and_then(|_| scan.end()).is_some()
}

#[cfg(test)]
pub(crate) mod tests;
