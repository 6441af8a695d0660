//! Objects rewritten in the storage version.

use std::future::IntoFuture;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use std::time::Duration;

use crdkit::{
    Client,
    client::{
        Patch, Resources,
        dynamic::Unstructured,
        install::InstallError,
        scope::InNamespace,
        storage_migration::{CHECKPOINT_ANNOTATION, Migrator, Phase, StorageMigration, StorageMigrationError},
    },
    kube::core::{ApiResource, GroupVersionKind},
};
use crdkit_api_server::{ApiServer, Requests};
use crdkit_tests::unique_group;
use futures_util::{StreamExt, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{install::versions, served::client};

/// A kind whose objects may be stored in `v1`, and are written in `v2`.
struct Kind {
    client: Client,
    group: String,
}

impl Kind {
    async fn new(client: Client, objects: usize) -> Self {
        let group = unique_group();
        let kind = Self { client: client.field_manager(&group), group };
        kind.install(["v1"]).await;
        kind.create(0..objects).await;
        kind.install(["v2", "v1"]).await;
        kind
    }

    async fn install<const N: usize>(&self, names: [&str; N]) {
        self.client.install([versions(&self.group, names)]).await.unwrap();
    }

    fn vms(&self, version: &str) -> Resources<Unstructured, InNamespace> {
        let kind = GroupVersionKind::gvk(&self.group, version, "Vm");
        self.client.resources_with(ApiResource::from_gvk_with_plural(&kind, "vms")).namespace("default")
    }

    async fn create(&self, numbers: impl IntoIterator<Item = usize>) {
        let vms = &self.vms("v1");
        let create = |number: usize| async move {
            let kind = GroupVersionKind::gvk(&self.group, "v1", "Vm");
            let mut vm = Unstructured::new(&format!("vm-{number:05}"), &kind);
            vm.set("spec.number", number).unwrap();
            vms.create(&vm).await.unwrap();
        };
        stream::iter(numbers).map(create).buffer_unordered(64).collect::<Vec<_>>().await;
    }

    fn crd(&self) -> String {
        format!("vms.{}", self.group)
    }

    fn migration(&self) -> StorageMigration {
        self.client.migrate_storage_of(self.crd()).by_client()
    }

    async fn definition(&self) -> CustomResourceDefinition {
        self.client.resources::<CustomResourceDefinition>().get(&self.crd()).await.unwrap()
    }

    async fn stored_versions(&self) -> Vec<String> {
        self.definition().await.status.unwrap().stored_versions.unwrap()
    }

    async fn has_checkpoint(&self) -> bool {
        let annotations = self.definition().await.metadata.annotations.unwrap_or_default();
        annotations.contains_key(CHECKPOINT_ANNOTATION)
    }

    /// Removes `v1`, after which a list fails if a single object is stored in it. Returns the numbers of the objects.
    async fn numbers_without_v1(&self) -> Vec<usize> {
        self.install(["v2"]).await;
        let vms = self.vms("v2").list().await.unwrap();
        let number = |vm: &Unstructured| usize::try_from(vm.get_i64("spec.number").unwrap()).unwrap();
        vms.iter().map(number).collect()
    }
}

/// The least number of pages in which they are migrated.
const PAGES: usize = 4;

fn objects() -> usize {
    crdkit_tests::case_count("CRDKIT_MIGRATED_OBJECTS", 1000)
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_that_others_write_at_the_same_time() {
    let Some(client) = client().await else { return };
    let count = objects();
    let kind = Arc::new(Kind::new(client, count).await);
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..2)
        .map(|writer| {
            let (kind, stop) = (kind.clone(), stop.clone());
            tokio::spawn(async move {
                let mut writes = 0;
                while !stop.load(Ordering::Relaxed) {
                    let number = (writes * 7919 + writer) % count;
                    let name = format!("vm-{number:05}");
                    // Of each ten objects, one is deleted and created again.
                    if number % 10 == writer {
                        kind.vms("v1").delete(&name).await.unwrap();
                        kind.create([number]).await;
                    } else {
                        let touched =
                            Patch::merge(json!({ "metadata": { "labels": { "write": writes.to_string() } } }));
                        let vms = kind.vms(if writes % 2 == 0 { "v1" } else { "v2" });
                        vms.patch(&name, &touched).await.map(drop).or_else(not_found).unwrap();
                    }
                    writes += 1;
                }
                writes
            })
        })
        .collect();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let reported = reports.clone();
    let migration = kind
        .migration()
        .page_size((count / PAGES).max(1) as u32)
        .on_progress(move |it| reported.lock().unwrap().push(it.to_string()));
    let migrated = migration.await.unwrap();
    stop.store(true, Ordering::Relaxed);
    let mut writes = 0;
    for writer in writers {
        writes += writer.await.unwrap();
    }
    assert!(writes > 0);
    assert_eq!(migrated.migrator, Some(Migrator::Client));
    assert_eq!((migrated.removed_versions, migrated.stored_versions), (vec!["v1".into()], vec!["v2".into()]));
    assert!(migrated.rewritten > 0, "{writes}");
    let reports = std::mem::take(&mut *reports.lock().unwrap());
    assert!(reports.len() >= PAGES, "{reports:?}");
    assert_eq!(kind.stored_versions().await, ["v2"]);
    assert!(!kind.has_checkpoint().await);
    let mut numbers = kind.numbers_without_v1().await;
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..count));
}

fn not_found(error: crdkit::client::Error) -> Result<(), crdkit::client::Error> {
    if error.is_not_found() { Ok(()) } else { Err(error) }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_migration_continues() {
    let Some(client) = client().await else { return };
    let kind = Kind::new(client, 300).await;
    let pages = Arc::new(AtomicUsize::new(0));
    let (counted, (first_page, mut interrupt)) = (pages.clone(), tokio::sync::mpsc::channel(1));
    let interrupted = kind.migration().page_size(100).on_progress(move |progress| {
        if progress.phase == Phase::Rewriting && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            first_page.try_send(()).unwrap();
        }
    });
    tokio::select! {
        biased;
        _ = interrupt.recv() => {}
        finished = interrupted => panic!("{finished:?}"),
    }
    assert_eq!(kind.stored_versions().await, ["v1", "v2"]);
    assert!(kind.has_checkpoint().await);
    let before = kind.vms("v2").list().await.unwrap();

    let migrated = kind.migration().page_size(100).await.unwrap();
    assert!(migrated.skipped >= 100, "{migrated:?}");
    assert_eq!(migrated.skipped + migrated.rewritten, 300);
    let after = kind.vms("v2").list().await.unwrap();
    let version = |vm: &Unstructured| vm.metadata.resource_version.clone();
    let unchanged = before.iter().zip(&after).filter(|(before, after)| version(before) == version(after)).count();
    assert_eq!(u64::try_from(unchanged).unwrap(), migrated.skipped);
    assert_eq!(kind.numbers_without_v1().await.len(), 300);

    let again = kind.migration().await.unwrap();
    assert_eq!((again.migrator, again.rewritten), (None, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_that_changes_starts_the_migration_again() {
    let Some(client) = client().await else { return };
    let kind = Arc::new(Kind::new(client, 20).await);
    let (changing, is_changed) = (kind.clone(), AtomicBool::new(false));
    let migrated = kind
        .migration()
        .page_size(10)
        .on_progress(move |progress| {
            if progress.phase == Phase::Rewriting && !is_changed.swap(true, Ordering::Relaxed) {
                // Objects are stored in `v1` for a moment.
                let back_and_forth = async {
                    changing.install(["v1", "v2"]).await;
                    changing.vms("v2").patch("vm-00000", &label("back")).await.unwrap();
                    changing.install(["v2", "v1"]).await;
                };
                tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(back_and_forth));
            }
        })
        .await
        .unwrap();
    assert!(migrated.rewritten > 10, "{migrated:?}");
    assert_eq!(kind.numbers_without_v1().await.len(), 20);
}

fn label(value: &str) -> Patch {
    Patch::merge(json!({ "metadata": { "labels": { "write": value } } }))
}

#[tokio::test]
async fn a_server_without_the_controller() {
    let Some(client) = client().await else { return };
    let kind = Kind::new(client.clone(), 3).await;
    let phases = Arc::new(Mutex::new(Vec::new()));
    let seen = phases.clone();
    let migration = client.migrate_storage_of(kind.crd()).controller_timeout(Duration::from_secs(1));
    let migrated = migration.on_progress(move |it| seen.lock().unwrap().push(it.phase)).await.unwrap();
    assert_eq!((migrated.migrator, migrated.rewritten), (Some(Migrator::Client), 3));
    if migrated.fallback.is_some() {
        let expected =
            format!("no kube-controller-manager took over StorageVersionMigration `vms.{}-v2-2` within 1s", kind.group);
        assert_eq!(migrated.fallback, Some(expected));
        assert_eq!(phases.lock().unwrap()[0], Phase::WaitingForController);
        let svms = client.dynamic().resources("storageversionmigrations.storagemigration.k8s.io").await.unwrap();
        let left = svms.all_namespaces().list().await.unwrap();
        assert!(!left.iter().any(|svm| svm.metadata.name.as_ref().unwrap().contains(&kind.group)));
    }
    assert_eq!(kind.stored_versions().await, ["v2"]);
}

/// The steps of kube-controller-manager.
#[tokio::test]
async fn a_controller_that_takes_over() {
    let Some(client) = client().await else { return };
    let kind = Kind::new(client.clone(), 3).await;
    let Ok(svms) = client.dynamic().resources("storageversionmigrations.storagemigration.k8s.io").await else { return };
    let svms = svms.cluster().unwrap();
    let migration = tokio::spawn(client.migrate_storage_of(kind.crd()).into_future());
    let name = format!("vms.{}-v2-2", kind.group);
    let created = timeout(Duration::from_secs(20), async {
        loop {
            match svms.get_opt(&name).await.unwrap() {
                Some(created) => return created,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    })
    .await
    .unwrap();
    assert_eq!(created.fields["spec"], json!({ "resource": { "group": kind.group, "resource": "vms" } }));
    let condition = |name: &str, message: &str| json!({ "type": name, "status": "True", "reason": name, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let running = condition("Running", "The migration is running, 3/3 objects not yet migrated");
    let set = |conditions: Value| Patch::merge(json!({ "status": { "conditions": conditions } }));
    svms.status().patch(&name, &set(json!([running]))).await.unwrap();
    for number in 0..3 {
        kind.vms("v2").patch(&format!("vm-{number:05}"), &Patch::merge(json!({}))).await.unwrap();
    }
    let crds = client.resources::<CustomResourceDefinition>();
    let cut = Patch::merge(json!({ "status": { "storedVersions": ["v2"] } }));
    crds.status().patch(&kind.crd(), &cut).await.unwrap();
    let running = condition("Running", "The migration is running, 3 objects verified migrated");
    let succeeded = condition("Succeeded", "Migration completed");
    svms.status().patch(&name, &set(json!([running, succeeded]))).await.unwrap();
    let migrated = migration.await.unwrap().unwrap();
    assert_eq!((migrated.migrator, migrated.rewritten), (Some(Migrator::Controller), 3));
    assert!(svms.get_opt(&name).await.unwrap().is_none());
}

#[tokio::test]
async fn installation_names_the_way_to_remove_a_version() {
    let Some(client) = client().await else { return };
    let kind = Kind::new(client, 1).await;
    let refused = kind.client.install([versions(&kind.group, ["v2"])]).await.unwrap_err();
    assert!(matches!(&refused, InstallError::DataLoss(_)));
    assert!(refused.to_string().contains(&format!("`client.migrate_storage_of(\"{}\")`", kind.crd())), "{refused}");
    kind.migration().await.unwrap();
    assert_eq!(kind.numbers_without_v1().await, [0]);
}

#[tokio::test]
async fn a_kind_without_a_definition() {
    let Some(client) = client().await else { return };
    let error = client.migrate_storage::<k8s_openapi::api::core::v1::Pod>().await.unwrap_err();
    assert!(matches!(error, StorageMigrationError::NoDefinition { .. }), "{error}");
    let message = "there is no CustomResourceDefinition `pods.`: only the storage of custom resources is migrated";
    assert_eq!(error.to_string(), message);
}

/// In the process, where requests fail on demand.
#[tokio::test(start_paused = true)]
async fn objects_that_cannot_be_written_are_reported() {
    let server = ApiServer::new();
    let kind = Kind::new(server.client(), 3).await;
    let rejected = Requests::patch().name("vm-00001");
    let fault = server.faults().on(rejected).fail_with(403, "Forbidden", "a webhook denied the request");
    let error = kind.migration().await.unwrap_err();
    let StorageMigrationError::Objects { failed, .. } = &error else { panic!("{error}") };
    assert_eq!(failed.iter().map(|failed| &*failed.object).collect::<Vec<_>>(), ["default/vm-00001"]);
    assert!(error.to_string().contains("a webhook denied the request"), "{error}");
    assert_eq!(kind.stored_versions().await, ["v1", "v2"]);

    fault.remove();
    let conflict = server.faults().on(Requests::patch().name("vm-00001")).conflict();
    let migrated = kind.migration().await.unwrap();
    assert_eq!((migrated.rewritten, migrated.skipped, conflict.count()), (0, 3, 1));
    assert_eq!(kind.stored_versions().await, ["v2"]);
}
