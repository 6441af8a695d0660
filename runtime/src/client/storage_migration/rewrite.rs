//! Rewriting of objects by this client.

use std::{pin::pin, time::Duration};

use futures_util::{StreamExt, TryStreamExt, stream};
use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::Time, jiff::Timestamp,
};
use kube_core::PartialObjectMeta;
use serde_json::json;
use tokio::time::sleep;

use super::{
    FailedObject, Phase, Progress, StorageMigration, StorageMigrationError, checkpoint::Checkpoint,
    target::MigrationTarget,
};
use crate::client::{List, Patch, dynamic::Unstructured, error::Error, resources::Resources, scope::InNamespace};

/// After an update of a definition, another API server may still write with the previous one for a moment, without any
/// indication of when that ends.
const PROPAGATION_DELAY: Duration = Duration::from_secs(3);
/// Clocks may differ by this much.
const CLOCK_SKEW: Duration = Duration::from_secs(60);
/// The number of objects that cannot be written, after which a migration ends.
const MAX_FAILURES: usize = 20;
/// The number of lists that may expire between two pages.
const LISTS: usize = 100;

type Metadata = PartialObjectMeta<Unstructured>;

/// Stores all objects in the storage version.
pub(super) async fn objects(
    migration: &StorageMigration,
    crd: &CustomResourceDefinition,
    target: &MigrationTarget,
    progress: &mut Progress,
) -> Result<(), StorageMigrationError> {
    let rewriting = Rewriting {
        migration,
        objects: target.objects(&migration.client),
        since: start(migration, crd, target, progress).await?,
        nothing: Patch::merge(json!({})).repeatable(),
    };
    for _ in 0..LISTS {
        *progress = Progress { rewritten: progress.rewritten, ..Progress::default() };
        match rewriting.pass(progress).await {
            // Objects that were rewritten are not written again.
            Err(error) if error.is_expired() => {}
            Ok(failed) if failed.is_empty() => return Ok(()),
            Ok(failed) => return Err(StorageMigrationError::Objects { crd: target.crd.clone(), failed }),
            Err(error) => return Err(error.into()),
        }
    }
    Err(StorageMigrationError::Changed { crd: target.crd.clone() })
}

/// Returns a resourceVersion; later ones were written in the storage version.
async fn start(
    migration: &StorageMigration,
    crd: &CustomResourceDefinition,
    target: &MigrationTarget,
    progress: &mut Progress,
) -> Result<Option<u64>, Error> {
    if let Some(checkpoint) = Checkpoint::of(crd, target) {
        return Ok(Some(checkpoint.resource_version));
    }
    if may_be_propagating(crd) {
        progress.phase = Phase::Propagating;
        migration.report(progress);
        sleep(PROPAGATION_DELAY).await;
    }
    let first = target.objects(&migration.client).all_namespaces().metadata().list().limit(1).await?;
    let current = first.metadata.resource_version.and_then(|version| version.parse().ok());
    if let Some(current) = current {
        Checkpoint::at(crd, target, current).write(migration).await?;
    }
    Ok(current)
}

/// Whether a definition may have changed a moment ago.
fn may_be_propagating(crd: &CustomResourceDefinition) -> bool {
    let entries = crd.metadata.managed_fields.iter().flatten();
    let times = entries.filter(|entry| entry.subresource.is_none()).filter_map(|entry| entry.time.as_ref());
    let last = times.map(|Time(time)| *time).max();
    last.is_none_or(|last| {
        Timestamp::now().duration_since(last) < (PROPAGATION_DELAY + CLOCK_SKEW).try_into().unwrap_or_default()
    })
}

struct Rewriting<'a> {
    migration: &'a StorageMigration,
    objects: Resources<Unstructured>,
    since: Option<u64>,
    nothing: Patch,
}

enum RewriteOutcome {
    Rewritten,
    Skipped,
    Failed(FailedObject),
}

impl Rewriting<'_> {
    /// Rewrites all objects, and returns those that cannot be written.
    async fn pass(&self, progress: &mut Progress) -> Result<Vec<FailedObject>, Error> {
        let mut failed = Vec::new();
        let list = self.objects.all_namespaces().metadata().list().page_size(self.migration.page_size);
        let mut pages = pin!(list.pages());
        while let Some(page) = pages.try_next().await? {
            progress.total = progress.total.or_else(|| total(&page));
            self.page(page, progress, &mut failed).await?;
            self.migration.report(progress);
            if failed.len() >= MAX_FAILURES {
                break;
            }
        }
        Ok(failed)
    }

    async fn page(
        &self,
        page: List<Metadata>,
        progress: &mut Progress,
        failed: &mut Vec<FailedObject>,
    ) -> Result<(), Error> {
        let objects = stream::iter(page).map(|object| self.rewrite(object));
        let mut outcomes = objects.buffer_unordered(self.migration.concurrency);
        while let Some(outcome) = outcomes.next().await {
            match outcome? {
                RewriteOutcome::Rewritten => progress.rewritten += 1,
                RewriteOutcome::Skipped => progress.skipped += 1,
                RewriteOutcome::Failed(object) => {
                    progress.failed += 1;
                    failed.push(object);
                    if failed.len() >= MAX_FAILURES {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    async fn rewrite(&self, object: Metadata) -> Result<RewriteOutcome, Error> {
        let version = object.metadata.resource_version;
        let number = version.as_deref().and_then(|version| version.parse::<u64>().ok());
        if self.since.is_some_and(|since| number.is_some_and(|number| number > since)) {
            return Ok(RewriteOutcome::Skipped);
        }
        let name = object.metadata.name.unwrap_or_default();
        let namespace = object.metadata.namespace;
        let place: Resources<_, InNamespace> = self.objects.at(namespace.as_deref());
        match place.endpoint.metadata().patch(&name, None, &self.nothing).await {
            Ok(written) if written.metadata.resource_version == version => Ok(RewriteOutcome::Skipped),
            Ok(_) => Ok(RewriteOutcome::Rewritten),
            // Somebody else wrote or deleted it.
            Err(error) if error.is_conflict() || error.is_not_found() => Ok(RewriteOutcome::Skipped),
            Err(error) if error.status_error().is_some() => {
                let object = namespace.map_or(name.clone(), |namespace| format!("{namespace}/{name}"));
                Ok(RewriteOutcome::Failed(FailedObject { object, error }))
            }
            Err(error) => Err(error),
        }
    }
}

fn total(page: &List<Metadata>) -> Option<u64> {
    let remaining = u64::try_from(page.metadata.remaining_item_count.unwrap_or_default()).ok()?;
    Some(page.items.len() as u64 + remaining)
}
