//! Owned objects are applied, kept and pruned.

use std::{sync::Arc, time::Duration};

use crdkit::{
    controller::{Action, Context, Controller, Error},
    informer::CacheObject,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, settle, ships};

async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    cx.apply_owned(&fleet, ships(&fleet)).await?;
    Ok(Action::Done)
}

fn controller() -> Controller {
    Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(reconcile)
}

#[tokio::test(start_paused = true)]
async fn owned_objects_are_applied_and_pruned() {
    let cluster = Cluster::new();
    let created = cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(controller());
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a", "north-b"]);
    let ship = cluster.ships.get("north-a").await.unwrap();
    let owner = ship.owners().next().unwrap();
    assert_eq!((owner.name, Some(owner.uid), owner.controller), ("north", created.uid(), true));
    let managed = ship.metadata.managed_fields.unwrap();
    assert_eq!(managed[0].manager.as_deref(), Some("fleet-operator"));

    cluster.take_writes();
    cluster.fleets.update("north", |fleet| fleet.spec.ships = vec!["b".into(), "c".into()]).await.unwrap();
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-b", "north-c"]);
    let path = "/api/v1/namespaces/default/configmaps";
    // `b` is unchanged, so it is not sent.
    assert_eq!(cluster.take_writes(), [format!("PATCH {path}/north-c"), format!("DELETE {path}/north-a")]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn drift_is_corrected_once() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(controller());
    settle().await;
    cluster.take_writes();

    cluster.ships.update("north-a", |ship| ship.data = Some([("flag".into(), "black".into())].into())).await.unwrap();
    settle().await;
    assert_eq!(cluster.ships.get("north-a").await.unwrap().data.unwrap()["flag"], "white");
    assert_eq!(cluster.take_writes().len(), 1);

    cluster.ships.delete("north-a").await.unwrap();
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a"]);
    assert_eq!(cluster.take_writes().len(), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn orphans_are_adopted_or_refused() {
    let cluster = Cluster::new();
    let orphan: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "north-a" } })).unwrap();
    cluster.ships.create(&orphan).await.unwrap();
    cluster.launch("north", &["a"]).await;
    let refuses = Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).without_adoption().await?;
            Ok(Action::Done)
        },
    );
    let running = cluster.start(refuses);
    settle().await;
    assert!(running.handle.metrics("fleet").unwrap().failures > 1);
    assert_eq!(cluster.ships.get("north-a").await.unwrap().owners().count(), 0);
    running.stop().await;

    let running = cluster.start(controller());
    settle().await;
    assert_eq!(cluster.ships.get("north-a").await.unwrap().owners().count(), 1);

    // Another fleet cannot take it.
    let twin = crate::cluster::fleet("south", &["a"]);
    cluster.fleets.create(&twin).await.unwrap();
    settle().await;
    assert_eq!(cluster.ships.get("north-a").await.unwrap().owners().next().unwrap().name, "north");
    running.stop().await;
}

/// The cache does not contain it yet.
#[tokio::test(start_paused = true)]
async fn a_new_orphan_is_left_alone() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(60));
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).without_adoption().await?;
            Ok(Action::Done)
        },
    ));
    sleep(Duration::from_secs(200)).await;
    let orphan: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "north-a" } })).unwrap();
    cluster.ships.create(&orphan).await.unwrap();
    cluster.launch("north", &["a", "b"]).await;
    sleep(Duration::from_secs(20)).await;
    assert!(running.handle.metrics("fleet").unwrap().failures > 0);
    assert_eq!(cluster.ships.get("north-a").await.unwrap().owners().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn objects_that_are_not_applied_can_be_kept() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).without_pruning().await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    cluster.fleets.update("north", |fleet| fleet.spec.ships.clear()).await.unwrap();
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a", "north-b"]);
    running.stop().await;
}

/// A fleet owns fleets, which are reconciled as it is.
#[tokio::test(start_paused = true)]
async fn children_of_the_own_kind_are_reconciled_and_pruned() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let child = |ship| json!({ "metadata": { "name": format!("{}-{ship}", fleet.metadata.name.as_deref().unwrap()) }, "spec": { "ships": [] } });
            cx.apply_owned::<Fleet>(&fleet, fleet.spec.ships.iter().map(child)).await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    let names = async || {
        let fleets = cluster.fleets.list().await.unwrap();
        fleets.items.iter().map(|fleet| fleet.metadata.name.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["north", "north-a", "north-b"]);
    cluster.fleets.update("north", |fleet| fleet.spec.ships = vec!["b".into(), "c".into()]).await.unwrap();
    settle().await;
    assert_eq!(names().await, ["north", "north-b", "north-c"]);
    cluster.take_writes();
    cluster.fleets.update("north-b", |fleet| fleet.spec.ships = vec!["d".into()]).await.unwrap();
    settle().await;
    // What its owner applies wins.
    assert_eq!(names().await, ["north", "north-b", "north-c"]);
    running.stop().await;
}
