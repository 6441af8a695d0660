//! Extraction of the fields that a manager owns.

use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube_core::Resource;
use serde_json::Value;

use super::{
    fields::Fields,
    owned::{self, FieldMismatch},
    topology::TopologyNode,
};
use crate::resource::definition::{CustomResource, Definition};

/// An error of extracting the fields that a manager owns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The object has no `metadata.managedFields`.
    #[error(
        "the object has no `metadata.managedFields`, which record who owns its fields: lists leave them out \
         unless you request them"
    )]
    NoManagedFields,
    /// The manager applied fields in another version of the kind.
    #[error("`{manager}` applied fields of `{found}`, not of `{expected}`: apply them once in this version")]
    OtherVersion {
        /// The manager.
        manager: String,
        /// The group and version in which the fields were applied.
        found: String,
        /// The group and version of the type.
        expected: String,
    },
    /// The manager owns a field that the type does not have, or does not serialize.
    #[error(
        "`{manager}` owns `{path}`, which the object does not have: its type does not know the field, or leaves it out when it is written"
    )]
    Unknown {
        /// The manager.
        manager: String,
        /// The path, such as `.spec.disks[name="root"].size`.
        path: String,
    },
    /// A key in `fieldsV1` cannot be parsed.
    #[error("what `{manager}` owns cannot be read at `{path}`")]
    Unreadable {
        /// The manager.
        manager: String,
        /// The path, which ends with the key that cannot be parsed.
        path: String,
    },
    /// The object cannot be serialized.
    #[error("the object cannot be written as JSON: {0}")]
    Unwritable(String),
}

/// Returns the fields of an object, or of one of its subresources, that a manager applied.
pub fn extract<K: Resource<DynamicType = ()>>(
    object: &K,
    whole: Fields,
    definition: Option<&'static Definition>,
    manager: &str,
    subresource: &str,
) -> Result<Fields, ExtractError> {
    let managed = object.meta().managed_fields.as_deref().ok_or(ExtractError::NoManagedFields)?;
    let Some(entry) = managed.iter().find(|entry| is_applied_by(entry, manager, subresource)) else {
        return Ok(Fields::new());
    };
    check_version::<K>(entry, manager)?;
    let whole = whole.into_json().map_err(|error| ExtractError::Unwritable(error.to_string()))?;
    let fields = entry.fields_v1.as_ref().map_or(&Value::Null, |fields| &fields.0);
    match owned::select(&whole, fields, TopologyNode::of(definition)) {
        Ok(Value::Object(members)) => Ok(members.into()),
        Ok(_) => Ok(Fields::new()),
        Err(mismatch) => Err(into_error(mismatch, manager)),
    }
}

fn is_applied_by(entry: &ManagedFieldsEntry, manager: &str, subresource: &str) -> bool {
    entry.operation.as_deref() == Some("Apply")
        && entry.manager.as_deref() == Some(manager)
        && entry.subresource.as_deref().unwrap_or_default() == subresource
}

fn check_version<K: Resource<DynamicType = ()>>(entry: &ManagedFieldsEntry, manager: &str) -> Result<(), ExtractError> {
    let found = entry.api_version.as_deref().unwrap_or_default();
    let expected = K::api_version(&());
    if found == expected {
        return Ok(());
    }
    Err(ExtractError::OtherVersion {
        manager: manager.to_owned(),
        found: found.to_owned(),
        expected: expected.into_owned(),
    })
}

fn into_error(mismatch: FieldMismatch, manager: &str) -> ExtractError {
    let (manager, path) = (manager.to_owned(), mismatch.path);
    if mismatch.is_missing {
        ExtractError::Unknown { manager, path }
    } else {
        ExtractError::Unreadable { manager, path }
    }
}

/// The definition of a kind: the inherent constant takes precedence over that of [`NoDefinition`].
pub struct DefinitionOf<K>(PhantomData<K>);

impl<K: CustomResource> DefinitionOf<K> {
    /// The definition.
    pub const DEFINITION: Option<&'static Definition> = Some(crate::resource::custom_resource::definition::<K>());
}

/// The fallback for types that are not the root of a custom resource.
pub trait NoDefinition {
    /// No definition.
    const DEFINITION: Option<&'static Definition> = None;
}

impl<K> NoDefinition for DefinitionOf<K> {}
