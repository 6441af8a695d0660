//! Objects are reconciled when what they refer to changes.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    controller::{Action, Context, Controller, ControllerBuilder, Error, ObjectKey},
    informer::CacheObject,
};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::core::PartialObjectMeta;

use crate::cluster::{Cluster, Fleet, fleet, settle, ships};

type Metadata = PartialObjectMeta<Secret>;

/// The names of the fleets that were reconciled, each with the number of Secrets that it found.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(String, usize)>>>);

impl Log {
    fn add(&self, fleet: &Fleet, found: usize) {
        self.0.lock().unwrap().push((fleet.name().to_owned(), found));
    }

    /// Returns what was added since the last call, in alphabetical order.
    fn take(&self) -> Vec<(String, usize)> {
        let mut taken = std::mem::take(&mut *self.0.lock().unwrap());
        taken.sort();
        taken
    }
}

fn secret(name: &str) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    secret
}

/// A fleet refers to Secrets with the names of its ships.
fn controller(log: &Log) -> Controller {
    let log = log.clone();
    Controller::of::<Fleet>().refers::<Secret>(|fleet| fleet.spec.ships.clone()).reconcile(
        move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            let log = log.clone();
            async move {
                let secrets = cx.referred::<Secret>(&fleet);
                log.add(&fleet, secrets.found().len());
                cx.status(&fleet).set_condition(secrets.condition("Secrets"));
                Ok::<_, Error>(Action::Done)
            }
        },
    )
}

async fn condition(cluster: &Cluster, name: &str) -> (String, String) {
    let condition = cluster.fleets.get(name).await.unwrap().status.unwrap().conditions.remove(0);
    (condition.status, condition.message)
}

fn seen(entries: &[(&str, usize)]) -> Vec<(String, usize)> {
    entries.iter().map(|(name, found)| ((*name).to_owned(), *found)).collect()
}

#[tokio::test(start_paused = true)]
async fn those_that_refer_to_an_object_are_reconciled() {
    let (cluster, log) = (Cluster::new(), Log::default());
    let secrets = cluster.client.resources::<Secret>().namespace("default");
    for (name, ships) in [("east", &["a", "b"][..]), ("north", &["a"]), ("west", &["c"]), ("empty", &[])] {
        cluster.launch(name, ships).await;
    }
    secrets.create(&secret("a")).await.unwrap();
    let running = cluster.start(controller(&log));
    settle().await;
    assert_eq!(log.take(), seen(&[("east", 1), ("empty", 0), ("north", 1), ("west", 0)]));
    assert_eq!(condition(&cluster, "north").await, ("True".to_owned(), String::new()));
    let missing = ("False".to_owned(), "Secret `default/b` not found".to_owned());
    assert_eq!(condition(&cluster, "east").await, missing);

    secrets.create(&secret("b")).await.unwrap();
    secrets.create(&secret("d")).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("east", 2)]));
    assert_eq!(condition(&cluster, "east").await.0, "True");

    secrets.update("a", |secret| secret.immutable = Some(true)).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("east", 2), ("north", 1)]));

    secrets.delete("a").await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("east", 1), ("north", 0)]));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_index_follows_the_objects() {
    let (cluster, log) = (Cluster::new(), Log::default());
    let secrets = cluster.client.resources::<Secret>().namespace("default");
    cluster.launch("north", &["a"]).await;
    cluster.launch("west", &["a"]).await;
    let running = cluster.start(controller(&log));
    settle().await;
    cluster.fleets.update("north", |fleet| fleet.spec.ships = vec!["b".to_owned(), "b".to_owned()]).await.unwrap();
    cluster.fleets.delete("west").await.unwrap();
    settle().await;
    log.take();

    secrets.create(&secret("a")).await.unwrap();
    settle().await;
    assert_eq!(log.take(), []);
    secrets.create(&secret("b")).await.unwrap();
    settle().await;
    // A name that is given twice is one reference.
    assert_eq!(log.take(), seen(&[("north", 1)]));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn equal_names_in_other_namespaces_are_others() {
    let (cluster, log) = (Cluster::new(), Log::default());
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(controller(&log));
    settle().await;
    log.take();
    let elsewhere = cluster.client.resources::<Secret>().namespace("kube-public");
    elsewhere.create(&secret("a")).await.unwrap();
    settle().await;
    assert_eq!(log.take(), []);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn references_may_cross_namespaces() {
    let (cluster, log) = (Cluster::new(), Log::default());
    cluster.launch("north", &["kube-public/a"]).await;
    let to_log = log.clone();
    let references = |fleet: &Fleet| {
        let parts = fleet.spec.ships.iter().filter_map(|ship| ship.split_once('/'));
        parts.map(|(namespace, name)| ObjectKey::new(Some(namespace), name)).collect()
    };
    // The controller itself is limited to a namespace.
    let limited = Controller::of::<Fleet>().select(|fleets| fleets.namespaces(["default"]));
    let controller =
        limited.refers_across::<Secret>(references).reconcile(move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            to_log.add(&fleet, cx.referred::<Secret>(&fleet).found().len());
            async { Ok::<_, Error>(Action::Done) }
        });
    let running = cluster.start(controller);
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 0)]));
    let elsewhere = cluster.client.resources::<Secret>().namespace("kube-public");
    elsewhere.create(&secret("a")).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 1)]));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn references_to_two_kinds_stand_side_by_side() {
    let (cluster, log) = (Cluster::new(), Log::default());
    cluster.launch("north", &["a"]).await;
    let to_log = log.clone();
    let names = |fleet: &Fleet| fleet.spec.ships.clone();
    let controller = Controller::of::<Fleet>()
        .refers::<Secret>(names)
        .refers::<Secret>(|fleet| vec![format!("{}-more", fleet.name())])
        .refers::<ConfigMap>(names)
        .reconcile(move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            let found =
                cx.referred::<Secret>(&fleet).found().len() + 10 * cx.referred::<ConfigMap>(&fleet).found().len();
            to_log.add(&fleet, found);
            async { Ok::<_, Error>(Action::Done) }
        });
    let running = cluster.start(controller);
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 0)]));
    let secrets = cluster.client.resources::<Secret>().namespace("default");
    for (name, found) in [("a", 1), ("north-more", 2)] {
        secrets.create(&secret(name)).await.unwrap();
        settle().await;
        assert_eq!(log.take(), seen(&[("north", found)]));
    }
    let ship = ships(&fleet("x", &["a"])).remove(0);
    let mut config = ship;
    config.metadata.name = Some("a".to_owned());
    cluster.ships.create(&config).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 12)]));
    running.stop().await;
}

/// Another cache of the kind, which is behind that of the references, and one that a selection after the references changes.
#[tokio::test(start_paused = true)]
async fn other_caches_and_selections_change_nothing() {
    let (cluster, log) = (Cluster::with_watch_delay("fleets", Duration::ZERO), Log::default());
    cluster.launch("north", &["a"]).await;
    let to_log = log.clone();
    let controller = Controller::of::<Fleet>()
        .reads_selected::<Secret>(|secrets| secrets.labels("app=other"))
        .refers::<Secret>(|fleet| fleet.spec.ships.clone())
        .select(|fleets| fleets.namespaces(["default"]))
        .reconcile(move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            let has_read = cx.lister::<Secret>().find(Some("default"), "a").is_some();
            to_log.add(&fleet, cx.referred::<Secret>(&fleet).found().len() + 10 * usize::from(has_read));
            async { Ok::<_, Error>(Action::Done) }
        });
    let running = cluster.start(controller);
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 0)]));
    let secrets = cluster.client.resources::<Secret>().namespace("default");
    let mut labelled = secret("a");
    labelled.metadata.labels = Some([("app".to_owned(), "other".to_owned())].into());
    secrets.create(&labelled).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 11)]));
    // The other cache no longer has it.
    secrets.update("a", |secret| secret.metadata.labels = None).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 1)]));
    secrets.delete("a").await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 0)]));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn metadata_is_enough_for_references() {
    let (cluster, log) = (Cluster::new(), Log::default());
    cluster.launch("north", &["a"]).await;
    let to_log = log.clone();
    let controller = Controller::of::<Fleet>().refers_metadata::<Secret>(|fleet| fleet.spec.ships.clone()).reconcile(
        move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            to_log.add(&fleet, cx.referred::<Metadata>(&fleet).found().len());
            async { Ok::<_, Error>(Action::Done) }
        },
    );
    let running = cluster.start(controller);
    settle().await;
    cluster.client.resources::<Secret>().namespace("default").create(&secret("a")).await.unwrap();
    settle().await;
    assert_eq!(log.take(), seen(&[("north", 0), ("north", 1)]));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn owned_objects_may_be_cached_as_metadata() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let controller = Controller::of::<Fleet>().owns_metadata::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let applied = cx.apply_owned(&fleet, ships(&fleet)).await?;
            assert!(applied.iter().all(|ship| ship.data.as_ref().is_some_and(|data| data["flag"] == "white")));
            Ok(Action::Done)
        },
    );
    let running = cluster.start(controller);
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a", "north-b"]);
    cluster.take_writes();

    // What has not changed is not sent, what has drifted is corrected, and what is no longer applied is deleted.
    cluster.fleets.update("north", |fleet| fleet.spec.ships = vec!["b".into(), "c".into()]).await.unwrap();
    settle().await;
    let path = "/api/v1/namespaces/default/configmaps";
    assert_eq!(cluster.take_writes(), [format!("PATCH {path}/north-c"), format!("DELETE {path}/north-a")]);
    let black = Some([("flag".to_owned(), "black".to_owned())].into());
    cluster.ships.update("north-b", |ship| ship.data = black.clone()).await.unwrap();
    settle().await;
    assert_eq!(cluster.take_writes(), [format!("PATCH {path}/north-b")]);
    assert_eq!(cluster.ships.get("north-b").await.unwrap().data.unwrap()["flag"], "white");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_mapper_has_the_lister_of_the_objects() {
    let (cluster, log) = (Cluster::new(), Log::default());
    cluster.launch("north", &[]).await;
    cluster.launch("west", &[]).await;
    let to_log = log.clone();
    let in_namespace: ControllerBuilder<Fleet> =
        Controller::of::<Fleet>().watches_with_lister::<Namespace>(|namespace, all| {
            all.namespace(namespace.name()).list().iter().map(|fleet| ObjectKey::of(&**fleet)).collect()
        });
    let controller = in_namespace.reconcile(move |fleet: Arc<Fleet>, _: Context<Fleet>| {
        to_log.add(&fleet, 0);
        async { Ok::<_, Error>(Action::Done) }
    });
    let running = cluster.start(controller);
    settle().await;
    log.take();
    let namespaces = cluster.client.resources::<Namespace>();
    let label = |namespace: &mut Namespace| {
        namespace.metadata.labels.get_or_insert_default().insert("team".into(), "sea".into());
    };
    namespaces.update("kube-public", label).await.unwrap();
    settle().await;
    assert_eq!(log.take(), []);
    namespaces.update("default", label).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(log.take(), seen(&[("north", 0), ("west", 0)]));
    running.stop().await;
}
