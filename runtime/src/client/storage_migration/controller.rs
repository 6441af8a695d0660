//! Migration by kube-controller-manager, for a StorageVersionMigration.

use std::time::Duration;

use kube_core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{Phase, Progress, StorageMigration, StorageMigrationError, target::MigrationTarget};
use crate::client::{
    DeleteError, ListRequest, dynamic::Unstructured, error::Error, resources::Resources, scope::InNamespace,
};

const GROUP: &str = "storagemigration.k8s.io";
/// Earlier versions have another `spec`.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const PLURAL: &str = "storageversionmigrations";
const KIND: &str = "StorageVersionMigration";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// After the objects, the controller changes the definition.
const FINISHING: Duration = Duration::from_secs(30);

pub(super) enum ControllerOutcome {
    /// The controller has finished.
    Migrated,
    /// The API server does not serve StorageVersionMigration.
    NotServed,
    /// Something keeps the controller from migrating.
    NotUsable(String),
}

/// Lets the controller migrate the storage, if it does so.
pub(super) async fn migrate(
    migration: &StorageMigration,
    target: &MigrationTarget,
    timeout: Duration,
    progress: &mut Progress,
) -> Result<ControllerOutcome, StorageMigrationError> {
    let Some(version) = served_version(migration).await? else {
        return Ok(ControllerOutcome::NotServed);
    };
    let migrations = migrations(migration, version);
    let running = match find_or_create(&migrations, version, target).await {
        Ok(running) => running,
        Err(error @ Error::Forbidden(_)) => return Ok(ControllerOutcome::NotUsable(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let name = running.metadata.name.clone().unwrap_or_default();
    let watcher = Watcher { migration, migrations, name, is_own: is_own(&running) };
    watcher.until_finished(timeout, progress).await
}

async fn served_version(migration: &StorageMigration) -> Result<Option<&'static str>, StorageMigrationError> {
    match migration.client.discovery().refresh().await {
        Ok(served) => Ok(VERSIONS.into_iter().find(|version| served.has(GROUP, version, PLURAL))),
        Err(error) => StorageMigrationError::of_discovery(error).map_or(Ok(None), Err),
    }
}

fn migrations(migration: &StorageMigration, version: &str) -> Resources<Unstructured, InNamespace> {
    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, version, KIND), PLURAL);
    migration.client.resources_with::<Unstructured>(kind).at(None)
}

/// Returns a migration of the same resource that has not ended, or a new one.
async fn find_or_create(
    migrations: &Resources<Unstructured, InNamespace>,
    version: &str,
    target: &MigrationTarget,
) -> Result<Unstructured, Error> {
    let (plural, group) = target.resource();
    let resource = json!({ "group": group, "resource": plural });
    for existing in ListRequest::new(migrations.endpoint.clone()).await? {
        if existing.fields.get("spec").is_some_and(|spec| spec["resource"] == resource) {
            if !(is_true(&existing, "Succeeded") || is_true(&existing, "Failed")) {
                return Ok(existing);
            }
            if is_own(&existing) {
                // The name of a new migration may be the same.
                delete(migrations, &existing).await?;
            }
        }
    }
    let name = format!("{}-{}-{}", target.crd, target.storage, target.generation.unwrap_or_default());
    let mut new = Unstructured::new(&name, &GroupVersionKind::gvk(GROUP, version, KIND));
    new.metadata.labels = Some([(MANAGED_BY.to_owned(), "crdkit".to_owned())].into());
    new.fields.insert("spec".to_owned(), json!({ "resource": resource }));
    match migrations.create(&new).await {
        Err(error) if error.is_already_exists() => migrations.get(&name).await,
        result => result,
    }
}

async fn delete(migrations: &Resources<Unstructured, InNamespace>, object: &Unstructured) -> Result<(), Error> {
    let name = object.metadata.name.as_deref().unwrap_or_default();
    match migrations.delete(name).await {
        Err(DeleteError::Request(error)) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

fn is_own(object: &Unstructured) -> bool {
    let labels = object.metadata.labels.as_ref();
    labels.and_then(|labels| labels.get(MANAGED_BY)).is_some_and(|manager| manager == "crdkit")
}

fn condition<'a>(object: &'a Unstructured, name: &str) -> Option<&'a Value> {
    let conditions = object.status.as_ref()?["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == name)
}

fn is_true(object: &Unstructured, name: &str) -> bool {
    condition(object, name).is_some_and(|condition| condition["status"] == "True")
}

fn message(object: &Unstructured, name: &str) -> String {
    let message = condition(object, name).and_then(|condition| condition["message"].as_str());
    message.unwrap_or_default().to_owned()
}

struct Watcher<'a> {
    migration: &'a StorageMigration,
    migrations: Resources<Unstructured, InNamespace>,
    name: String,
    /// Whether crdkit created it.
    is_own: bool,
}

impl Watcher<'_> {
    async fn until_finished(
        &self,
        timeout: Duration,
        progress: &mut Progress,
    ) -> Result<ControllerOutcome, StorageMigrationError> {
        let start = Instant::now();
        loop {
            let Some(object) = self.migrations.get_opt(&self.name).await? else {
                return Ok(ControllerOutcome::NotUsable(format!(
                    "somebody deleted StorageVersionMigration `{}`",
                    self.name
                )));
            };
            if is_true(&object, "Failed") {
                let message = message(&object, "Failed");
                return Err(StorageMigrationError::Controller { name: self.name.clone(), message });
            }
            if is_true(&object, "Succeeded") {
                return self.finish(&object, progress).await;
            }
            let is_running = condition(&object, "Running").is_some();
            if !is_running && start.elapsed() >= timeout {
                self.clean_up(&object).await?;
                let reason = format!(
                    "no kube-controller-manager took over StorageVersionMigration `{}` within {timeout:?}",
                    self.name
                );
                return Ok(ControllerOutcome::NotUsable(reason));
            }
            self.report(&object, is_running, progress);
            sleep(POLL_INTERVAL).await;
        }
    }

    fn report(&self, object: &Unstructured, is_running: bool, progress: &mut Progress) {
        let before = progress.clone();
        progress.phase = if is_running { Phase::Controller } else { Phase::WaitingForController };
        if let Some((done, total)) = counts(&message(object, "Running")) {
            (progress.rewritten, progress.total) = (done, Some(total));
        }
        if *progress != before {
            self.migration.report(progress);
        }
    }

    /// Waits until the controller has changed the definition.
    async fn finish(
        &self,
        object: &Unstructured,
        progress: &mut Progress,
    ) -> Result<ControllerOutcome, StorageMigrationError> {
        self.report(object, true, progress);
        let start = Instant::now();
        while start.elapsed() < FINISHING {
            let crd = self.migration.definition().await?;
            let conditions = crd.status.into_iter().flat_map(|status| status.conditions.unwrap_or_default());
            let mut migrating = conditions.filter(|condition| condition.type_ == "StorageMigrating");
            if migrating.all(|condition| condition.status != "True") {
                break;
            }
            sleep(POLL_INTERVAL).await;
        }
        self.clean_up(object).await?;
        Ok(ControllerOutcome::Migrated)
    }

    async fn clean_up(&self, object: &Unstructured) -> Result<(), Error> {
        if self.is_own { delete(&self.migrations, object).await } else { Ok(()) }
    }
}

/// Returns the numbers of objects that are done, and of all, in the message of the condition `Running`.
fn counts(message: &str) -> Option<(u64, u64)> {
    let count = message.strip_prefix("The migration is running, ")?.split(' ').next()?;
    match count.split_once('/') {
        Some((left, total)) => {
            let total: u64 = total.parse().ok()?;
            Some((total.saturating_sub(left.parse().ok()?), total))
        }
        None => count.parse().ok().map(|total| (total, total)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_controller() {
        for (message, expected) in [
            ("The migration is running", None),
            ("The migration is running, 40/100 objects not yet migrated", Some((60, 100))),
            ("The migration is running, 40/100 objects not yet migrated; transient error: a, b", Some((60, 100))),
            ("The migration is running, 100 objects verified migrated", Some((100, 100))),
            ("The migration is running; transient error: a, 1/2", None),
        ] {
            assert_eq!(counts(message), expected, "{message}");
        }
    }
}
