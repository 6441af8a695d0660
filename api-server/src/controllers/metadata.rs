//! The metadata that controllers read.

use serde::Deserialize;

use crate::store::Stored;

pub(super) const FOREGROUND: &str = "foregroundDeletion";
pub(super) const ORPHAN: &str = "orphan";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct OwnedMetadata {
    pub(super) uid: String,
    pub(super) resource_version: String,
    pub(super) deletion_timestamp: Option<String>,
    pub(super) finalizers: Vec<String>,
    pub(super) owner_references: Vec<Owner>,
}

/// An owner reference.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Owner {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) block_owner_deletion: Option<bool>,
}

#[derive(Default, Deserialize)]
struct WithMetadata {
    #[serde(default)]
    metadata: OwnedMetadata,
}

impl OwnedMetadata {
    pub(super) fn of(stored: &Stored) -> Self {
        serde_json::from_slice::<WithMetadata>(&stored.json).unwrap_or_default().metadata
    }

    pub(super) fn is_deleting(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    pub(super) fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|it| it == finalizer)
    }

    /// Returns whether the object waits for the deletion of its dependents.
    pub(super) fn deletes_dependents(&self) -> bool {
        self.is_deleting() && self.has_finalizer(FOREGROUND)
    }

    /// Returns whether the object waits until its dependents have no reference to it any more.
    pub(super) fn orphans_dependents(&self) -> bool {
        self.is_deleting() && self.has_finalizer(ORPHAN)
    }
}

impl Owner {
    pub(super) fn blocks(&self) -> bool {
        self.block_owner_deletion == Some(true)
    }
}
