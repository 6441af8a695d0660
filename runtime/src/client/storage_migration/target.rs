//! What a migration works towards: the storage version of a definition.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::{ApiResource, GroupVersionKind};

use super::StorageMigrationError;
use crate::{
    client::{Client, dynamic::Unstructured, resources::Resources},
    crd::crd_accessors::{read, storage_version, stored_versions},
};

/// A definition at the start of a migration.
pub(super) struct MigrationTarget {
    pub(super) crd: String,
    uid: Option<String>,
    pub(super) generation: Option<i64>,
    /// The storage version.
    pub(super) storage: String,
    stored: Vec<String>,
    /// The kind in a served version, preferably the one without a conversion.
    kind: ApiResource,
    list_kind: String,
}

impl MigrationTarget {
    pub(super) fn of(crd: &CustomResourceDefinition) -> Result<Self, StorageMigrationError> {
        let name = crd.metadata.name.clone().unwrap_or_default();
        let spec = &crd.spec;
        let mut served: Vec<_> = spec.versions.iter().filter(|version| version.served).collect();
        served.sort_by_key(|version| !version.storage);
        let (Some(served), Some(storage)) = (served.first(), storage_version(crd)) else {
            return Err(StorageMigrationError::NotServed { crd: name });
        };
        let kind = GroupVersionKind::gvk(&spec.group, &served.name, &spec.names.kind);
        Ok(Self {
            crd: name,
            uid: crd.metadata.uid.clone(),
            generation: crd.metadata.generation,
            storage: storage.name.clone(),
            stored: stored_versions(crd).cloned().collect(),
            kind: ApiResource::from_gvk_with_plural(&kind, &spec.names.plural),
            list_kind: crdkit_core::rules::names::list_kind(&read::names(&spec.names)).into_owned(),
        })
    }

    /// Versions in which objects may be stored, except the storage version.
    pub(super) fn old_versions(&self) -> impl Iterator<Item = &String> {
        self.stored.iter().filter(|stored| **stored != self.storage)
    }

    pub(super) fn is_migrated(&self) -> bool {
        self.old_versions().next().is_none()
    }

    /// Whether a definition has not changed since, except for its status and metadata.
    pub(super) fn is_same(&self, crd: &CustomResourceDefinition) -> bool {
        let is_same_object = crd.metadata.uid == self.uid && crd.metadata.generation == self.generation;
        is_same_object && storage_version(crd).is_some_and(|version| version.name == self.storage)
    }

    /// The plural and the group.
    pub(super) fn resource(&self) -> (&str, &str) {
        (&self.kind.plural, &self.kind.group)
    }

    pub(super) fn objects(&self, client: &Client) -> Resources<Unstructured> {
        client.resources_with::<Unstructured>(self.kind.clone()).list_kind(&self.list_kind)
    }
}
