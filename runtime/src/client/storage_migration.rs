//! Storage migration: rewrites all objects of a custom resource, so that none is stored in an old version.
//!
//! ```no_run
//! # use crdkit::{CustomResource, KubeSchema};
//! # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
//! # pub struct AtSpec { pub schedule: String }
//! # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::storage_migration::StorageMigrationError> {
//! let migrated = client.migrate_storage::<At>().on_progress(|progress| println!("{progress}")).await?;
//! println!("{} objects were rewritten, stored versions are now {:?}", migrated.rewritten, migrated.stored_versions);
//! # Ok(())
//! # }
//! ```
//!
//! When the storage version of a definition changes, existing objects remain stored in the old version until they are
//! written again. `status.storedVersions` lists the versions in which objects may be stored, and the API server refuses a
//! definition without one of them. After the migration, it lists only the storage version, and the old version can be removed.
//!
//! # How objects are rewritten
//!
//! If the API server serves [`StorageVersionMigration`][svm] (Kubernetes 1.37 serves `storagemigration.k8s.io/v1`),
//! kube-controller-manager rewrites the objects. If no controller takes over the migration in time, or if it is not permitted to
//! create one, this client rewrites them: page by page, each object with an empty patch, which changes nothing but the stored
//! version. [`MigratedStorage::migrator`] shows which of them it was.
//!
//! - Objects that others change or delete in the meantime need no rewriting, and are skipped.
//! - A migration that is interrupted, or dropped, continues when it is started again, also in another process: objects that were
//!   rewritten are not written again. An annotation on the definition, [`CHECKPOINT_ANNOTATION`], marks where it started.
//! - `status.storedVersions` is only changed if all objects were rewritten, and if the definition is still the one with which
//!   the migration started. Otherwise the migration starts again.
//! - Objects that cannot be written, for example because an admission webhook rejects them, are [reported](StorageMigrationError::Objects)
//!   together.
//!
//! # Permissions
//!
//! - `get` and `patch` of the definition, and `patch` of its `customresourcedefinitions/status`
//! - `list` and `patch` of the objects, in all namespaces
//! - `list`, `get`, `create` and `delete` of `storageversionmigrations.storagemigration.k8s.io`, to use them
//!
//! [svm]: https://kubernetes.io/docs/tasks/manage-kubernetes-objects/storage-version-migration/

mod checkpoint;
mod controller;
mod error;
mod progress;
mod rewrite;
mod target;

use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::Resource;
use serde_json::json;

pub use checkpoint::CHECKPOINT_ANNOTATION;
pub use error::{FailedObject, StorageMigrationError};
pub use progress::{Phase, Progress};

use super::{Client, Patch, list::PAGE_SIZE, resources::Resources};
use checkpoint::Checkpoint;
use controller::ControllerOutcome;
use target::MigrationTarget;

const STATUS: Option<&str> = Some("status");
const CONCURRENCY: usize = 8;
/// kube-controller-manager's leader election takes up to 15 s.
const CONTROLLER_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of times that a migration starts again because the definition changed.
const ROUNDS: usize = 5;

impl Client {
    /// Rewrites all objects of a custom resource that may be stored in another version than the storage version, and removes
    /// the old versions from `status.storedVersions` of its definition. See [`storage_migration`](super::storage_migration).
    pub fn migrate_storage<K: Resource<DynamicType = ()>>(&self) -> StorageMigration {
        self.migrate_storage_of(format!("{}.{}", K::plural(&()), K::group(&())))
    }

    /// Migrates the storage of a definition, such as `virtualmachines.infra.example.com`, as
    /// [`migrate_storage`](Self::migrate_storage) does.
    pub fn migrate_storage_of(&self, crd: impl Into<String>) -> StorageMigration {
        StorageMigration {
            client: self.clone(),
            crd: crd.into(),
            page_size: PAGE_SIZE,
            concurrency: CONCURRENCY,
            controller_timeout: Some(CONTROLLER_TIMEOUT),
            on_progress: None,
        }
    }
}

type Report = dyn Fn(&Progress) + Send + Sync;

/// A request to migrate the storage of a custom resource. Awaiting it runs the migration.
#[derive(Clone)]
#[must_use = "nothing is migrated until it is awaited"]
pub struct StorageMigration {
    client: Client,
    crd: String,
    page_size: u32,
    concurrency: usize,
    /// `None` if this client rewrites the objects in any case.
    controller_timeout: Option<Duration>,
    on_progress: Option<Arc<Report>>,
}

/// A finished migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigratedStorage {
    /// The versions in which objects may be stored: only the storage version.
    pub stored_versions: Vec<String>,
    /// Versions in which objects may have been stored before.
    pub removed_versions: Vec<String>,
    /// Who rewrote the objects; `None` if there was nothing to do.
    pub migrator: Option<Migrator>,
    /// Why this client rewrote the objects, although the API server serves StorageVersionMigration.
    pub fallback: Option<String>,
    /// The number of objects that this client rewrote, or that the controller verified.
    pub rewritten: u64,
    /// The number of objects that others changed or deleted in the meantime, or that were already stored in the storage version.
    pub skipped: u64,
}

/// Who rewrote the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Migrator {
    /// kube-controller-manager, for a StorageVersionMigration.
    Controller,
    /// This client.
    Client,
}

impl StorageMigration {
    /// Sets the number of objects per page: 500 by default.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = objects.max(1);
        self
    }

    /// Sets the number of objects that this client rewrites at the same time: 8 by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests.max(1);
        self
    }

    /// Sets how long kube-controller-manager has for taking over the migration, where the API server serves
    /// StorageVersionMigration: 30 s by default. After that, this client rewrites the objects.
    pub fn controller_timeout(mut self, timeout: Duration) -> Self {
        self.controller_timeout = Some(timeout);
        self
    }

    /// Rewrites the objects with this client, without kube-controller-manager.
    pub fn by_client(mut self) -> Self {
        self.controller_timeout = None;
        self
    }

    /// Calls a function with the progress, after each page at least.
    pub fn on_progress(mut self, report: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(report));
        self
    }

    async fn run(self) -> Result<MigratedStorage, StorageMigrationError> {
        let mut migrated = MigratedStorage::default();
        let mut progress = Progress::default();
        for _ in 0..ROUNDS {
            let crd = self.definition().await?;
            let target = MigrationTarget::of(&crd)?;
            for version in target.old_versions() {
                if !migrated.removed_versions.contains(version) {
                    migrated.removed_versions.push(version.clone());
                }
            }
            if target.is_migrated() || self.round(&crd, &target, &mut migrated, &mut progress).await? {
                if Checkpoint::exists(&crd) || migrated.migrator == Some(Migrator::Client) {
                    Checkpoint::remove(&self).await?;
                }
                migrated.stored_versions = vec![target.storage];
                (migrated.rewritten, migrated.skipped) = (progress.rewritten, progress.skipped);
                return Ok(migrated);
            }
        }
        Err(StorageMigrationError::Changed { crd: self.crd })
    }

    /// Rewrites the objects. Returns `false` if the definition has to be read again.
    async fn round(
        &self,
        crd: &CustomResourceDefinition,
        target: &MigrationTarget,
        migrated: &mut MigratedStorage,
        progress: &mut Progress,
    ) -> Result<bool, StorageMigrationError> {
        if let Some(timeout) = self.controller_timeout.filter(|_| !self.client.options.dry_run) {
            match controller::migrate(self, target, timeout, progress).await? {
                ControllerOutcome::Migrated => {
                    migrated.migrator = Some(Migrator::Controller);
                    return Ok(false);
                }
                ControllerOutcome::NotServed => {}
                ControllerOutcome::NotUsable(reason) => migrated.fallback = Some(reason),
            }
        }
        migrated.migrator = Some(Migrator::Client);
        rewrite::objects(self, crd, target, progress).await?;
        self.cut_stored_versions(target).await
    }

    /// Leaves only the storage version in `status.storedVersions`. Returns `false` if the definition changed, so that objects
    /// may have been stored in another version since.
    async fn cut_stored_versions(&self, target: &MigrationTarget) -> Result<bool, StorageMigrationError> {
        loop {
            let crd = self.definition().await?;
            if !target.is_same(&crd) {
                return Ok(false);
            }
            let patch = Patch::merge(json!({
                "metadata": { "resourceVersion": crd.metadata.resource_version },
                "status": { "storedVersions": [target.storage] },
            }));
            match self.crds().endpoint.patch(&self.crd, STATUS, &patch).await {
                Err(error) if error.is_conflict() => {}
                result => return Ok(result.map(|_| true)?),
            }
        }
    }

    async fn definition(&self) -> Result<CustomResourceDefinition, StorageMigrationError> {
        let crd = self.crds().get_opt(&self.crd).await?;
        crd.ok_or_else(|| StorageMigrationError::NoDefinition { crd: self.crd.clone() })
    }

    fn crds(&self) -> Resources<CustomResourceDefinition> {
        self.client.resources()
    }

    fn report(&self, progress: &Progress) {
        if let Some(report) = &self.on_progress {
            report(progress);
        }
    }
}

impl IntoFuture for StorageMigration {
    type Output = Result<MigratedStorage, StorageMigrationError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl fmt::Debug for StorageMigration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StorageMigration")
            .field("client", &self.client)
            .field("crd", &self.crd)
            .field("page_size", &self.page_size)
            .field("concurrency", &self.concurrency)
            .field("controller_timeout", &self.controller_timeout)
            .finish_non_exhaustive()
    }
}
