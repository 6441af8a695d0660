//! A reconciliation sees what the earlier ones of the same object wrote.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    client::Patch,
    controller::{Action, Context, Controller, Error},
    informer::InformerBuilder,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, settle, ships};

/// Creates a ship with a new name unless there is one, and runs again at once: a stale cache makes it create another one.
async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    if cx.owned::<ConfigMap>(&fleet).is_empty() {
        let mut ship = ships(&fleet).remove(0);
        ship.metadata.name = None;
        ship.metadata.generate_name = Some("ship-".to_owned());
        ship.metadata.namespace = fleet.metadata.namespace.clone();
        crdkit::client::set_controller_reference(&mut ship, &*fleet)?;
        cx.client().resources().namespace("default").create(&ship).await?;
        return Ok(Action::requeue(Duration::ZERO));
    }
    Ok(Action::Done)
}

#[tokio::test(start_paused = true)]
async fn nothing_is_created_twice_with_a_slow_watch() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(3));
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(reconcile));
    // The watch must be established before the first reconciliation.
    sleep(Duration::from_secs(20)).await;
    assert_eq!(cluster.ship_names().await.len(), 1);
    let metrics = running.handle.metrics("fleet").unwrap();
    assert!(metrics.postponed >= 1, "{metrics:?}");
    assert_eq!(metrics.stale, 0);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_wait_has_a_limit() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(20));
    cluster.launch("north", &["a"]).await;
    let controller = Controller::of::<Fleet>().owns::<ConfigMap>().own_writes_timeout(Duration::from_secs(5));
    let running = cluster.start(controller.reconcile(reconcile));
    sleep(Duration::from_secs(60)).await;
    assert!(cluster.ship_names().await.len() > 1);
    assert!(running.handle.metrics("fleet").unwrap().stale >= 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn deletions_are_seen_too() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(3));
    cluster.launch("north", &["a"]).await;
    let first = Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).await?;
            Ok(Action::Done)
        },
    );
    let running = cluster.start(first);
    sleep(Duration::from_secs(20)).await;
    running.stop().await;

    let deletes = Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let ships = cx.client().resources::<ConfigMap>().namespace("default");
            let Some(ship) = cx.owned::<ConfigMap>(&fleet).into_iter().next() else {
                return Ok(Action::Done);
            };
            ships.delete(ship.metadata.name.as_deref().unwrap_or_default()).await?;
            Ok(Action::requeue(Duration::ZERO))
        },
    );
    let running = cluster.start(deletes);
    sleep(Duration::from_secs(20)).await;
    // A second deletion would fail with 404.
    assert_eq!(running.handle.metrics("fleet").unwrap().failures, 0);
    assert!(cluster.ship_names().await.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn writes_of_kinds_without_a_cache_delay_nothing() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |_: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let ships = cx.client().resources::<ConfigMap>().namespace("default");
            ships.apply("flag", &json!({ "data": { "color": "white" } })).await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.successes, metrics.postponed), (1, 0));
    running.stop().await;
}

/// Creates a ship with this label.
async fn create(fleet: &Fleet, cx: &Context<Fleet>, afloat: &str) -> Result<(), Error> {
    let mut ship = ships(fleet).remove(0);
    ship.metadata.labels = Some([("afloat".to_owned(), afloat.to_owned())].into());
    ship.metadata.namespace = fleet.metadata.namespace.clone();
    crdkit::client::set_controller_reference(&mut ship, fleet)?;
    cx.client().resources().namespace("default").create(&ship).await?;
    Ok(())
}

/// Changes the label of the ship.
async fn sink(fleet: &Fleet, cx: &Context<Fleet>) -> Result<(), Error> {
    let name = ships(fleet).remove(0).metadata.name.unwrap_or_default();
    let sunk = Patch::merge(json!({ "metadata": { "labels": { "afloat": "no" } } }));
    cx.client().resources::<ConfigMap>().namespace("default").patch(&name, &sunk).await?;
    Ok(())
}

/// Creates a ship that the controller does not select, and runs again at once.
async fn create_sunk(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    let ship = ships(&fleet).remove(0).metadata.name.unwrap_or_default();
    let all = cx.client().resources::<ConfigMap>().namespace("default");
    if all.get_opt(&ship).await?.is_some() {
        return Ok(Action::Done);
    }
    create(&fleet, &cx, "no").await?;
    Ok(Action::requeue(Duration::ZERO))
}

#[tokio::test(start_paused = true)]
async fn writes_outside_of_the_selection_delay_nothing() {
    type Select = fn(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>;
    let selections: [Select; 2] = [|ships| ships.labels("afloat=yes"), |ships| ships.fields("metadata.name=other")];
    for select in selections {
        let cluster = Cluster::new();
        cluster.launch("north", &["a"]).await;
        let running =
            cluster.start(Controller::of::<Fleet>().owns_selected::<ConfigMap>(select).reconcile(create_sunk));
        settle().await;
        let metrics = running.handle.metrics("fleet").unwrap();
        assert_eq!((metrics.successes, metrics.stale), (2, 0), "{metrics:?}");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_leaves_the_selection_is_seen_to_leave() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(3));
    cluster.launch("north", &["a"]).await;
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let log = seen.clone();
    let reconcile = move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        let log = log.clone();
        async move {
            let run = {
                let mut log = log.lock().unwrap();
                log.push(cx.owned::<ConfigMap>(&fleet).len());
                log.len()
            };
            match run {
                1 => create(&fleet, &cx, "yes").await?,
                2 => sink(&fleet, &cx).await?,
                3 => {
                    let selected = Patch::merge(json!({ "metadata": { "labels": { "afloat": "yes" } } }));
                    let name = ships(&fleet).remove(0).metadata.name.unwrap_or_default();
                    cx.client().resources::<ConfigMap>().namespace("default").patch(&name, &selected).await?;
                    // The watch sends neither of the states before the next run.
                    sink(&fleet, &cx).await?;
                }
                _ => return Ok(Action::Done),
            }
            Ok::<_, Error>(Action::requeue(Duration::ZERO))
        }
    };
    let running = cluster.start(
        Controller::of::<Fleet>().owns_selected::<ConfigMap>(|ships| ships.labels("afloat=yes")).reconcile(reconcile),
    );
    sleep(Duration::from_secs(60)).await;
    let runs = seen.lock().unwrap().clone();
    assert!(runs.len() >= 4, "{runs:?}");
    assert_eq!(runs[..3], [0, 1, 0]);
    assert!(runs[3..].iter().all(|ships| *ships == 0), "{runs:?}");
    assert_eq!(running.handle.metrics("fleet").unwrap().stale, 0);
    running.stop().await;
}
