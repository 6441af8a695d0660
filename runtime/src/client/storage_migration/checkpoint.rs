//! Where a migration started, so that another process can continue it.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{StorageMigration, target::MigrationTarget};
use crate::client::{Patch, error::Error};

/// The annotation of a definition whose storage is being migrated.
pub const CHECKPOINT_ANNOTATION: &str = "storage-migration.crdkit.dev/checkpoint";

/// The state of the objects when the migration started. Objects with a later resourceVersion were written since, and so in
/// the storage version. It is only valid for the same definition: a backup may be restored into another cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Checkpoint {
    uid: Option<String>,
    generation: Option<i64>,
    storage_version: String,
    pub(super) resource_version: u64,
}

impl Checkpoint {
    /// Returns the checkpoint of an interrupted migration to the same target.
    pub(super) fn of(crd: &CustomResourceDefinition, target: &MigrationTarget) -> Option<Self> {
        let text = crd.metadata.annotations.as_ref()?.get(CHECKPOINT_ANNOTATION)?;
        let found: Self = serde_json::from_str(text).ok()?;
        (found == Self::at(crd, target, found.resource_version)).then_some(found)
    }

    pub(super) fn at(crd: &CustomResourceDefinition, target: &MigrationTarget, resource_version: u64) -> Self {
        Self {
            uid: crd.metadata.uid.clone(),
            generation: target.generation,
            storage_version: target.storage.clone(),
            resource_version,
        }
    }

    pub(super) async fn write(&self, migration: &StorageMigration) -> Result<(), Error> {
        annotate(migration, json!(json!(self).to_string())).await
    }

    /// Whether a definition has a checkpoint of any migration.
    pub(super) fn exists(crd: &CustomResourceDefinition) -> bool {
        let annotations = crd.metadata.annotations.as_ref();
        annotations.is_some_and(|annotations| annotations.contains_key(CHECKPOINT_ANNOTATION))
    }

    pub(super) async fn remove(migration: &StorageMigration) -> Result<(), Error> {
        annotate(migration, Value::Null).await
    }
}

async fn annotate(migration: &StorageMigration, value: Value) -> Result<(), Error> {
    let patch = Patch::merge(json!({ "metadata": { "annotations": { CHECKPOINT_ANNOTATION: value } } })).repeatable();
    migration.crds().endpoint.metadata().patch(&migration.crd, None, &patch).await?;
    Ok(())
}
