//! When a reconcile function is called, and what its result causes.

use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    controller::{Action, Context, Controller, ObjectKey, terminal},
    informer::CacheObject,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, settle};

/// The names of reconciled objects.
type Calls = Arc<Mutex<Vec<String>>>;

fn names(calls: &Calls) -> Vec<String> {
    let mut names = std::mem::take(&mut *calls.lock().unwrap());
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn each_outcome_affects_one_object() {
    let cluster = Cluster::new();
    for name in ["fails", "hangs", "panics", "repeats", "succeeds", "surrenders"] {
        cluster.launch(name, &[]).await;
    }
    let calls = Calls::default();
    let controller = Controller::of::<Fleet>().state(calls.clone()).timeout(Duration::from_secs(1));
    let running = cluster.start(controller.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Calls>| {
        let name = fleet.name().to_owned();
        cx.state().lock().unwrap().push(name.clone());
        match &*name {
            "fails" => Err("no wind".into()),
            "hangs" => pending().await,
            "panics" => panic!("a storm"),
            "repeats" => Ok(Action::requeue(Duration::from_secs(40))),
            "surrenders" => Err(terminal("sunk").into()),
            _ => Ok::<_, crdkit::controller::Error>(Action::Done),
        }
    }));
    sleep(Duration::from_secs(60)).await;
    let count = |name: &str| calls.lock().unwrap().iter().filter(|other| *other == name).count();
    assert_eq!(["repeats", "succeeds", "surrenders"].map(count), [2, 1, 1]);
    for name in ["fails", "hangs", "panics"] {
        assert!((4..20).contains(&count(name)), "{name}: {}", count(name));
    }
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.terminal_failures, metrics.panics), (1, count("panics") as u64));
    assert_eq!(metrics.failures, (count("fails") + count("hangs")) as u64);
    assert_eq!(metrics.timeouts, count("hangs") as u64);

    calls.lock().unwrap().clear();
    cluster.fleets.update("surrenders", |fleet| fleet.spec.ships.push("new".into())).await.unwrap();
    settle().await;
    assert_eq!(count("surrenders"), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn watched_objects_are_mapped_to_keys() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.launch("south", &[]).await;
    let calls = Calls::default();
    let controller = Controller::of::<Fleet>().state(calls.clone()).watches::<ConfigMap>(|config| {
        let fleet = config.data.as_ref().and_then(|data| data.get("fleet"));
        fleet.map(|fleet| ObjectKey::new(config.namespace(), fleet)).into_iter().collect()
    });
    let running = cluster.start(controller.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Calls>| {
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        Ok::<_, Infallible>(Action::Done)
    }));
    settle().await;
    assert_eq!(names(&calls), ["north", "south"]);

    let order = |fleet: &str| json!({ "metadata": { "name": "order" }, "data": { "fleet": fleet } });
    cluster.ships.create(&serde_json::from_value(order("north")).unwrap()).await.unwrap();
    settle().await;
    assert_eq!(names(&calls), ["north"]);
    cluster.ships.update("order", |order| order.data = Some([("fleet".into(), "south".into())].into())).await.unwrap();
    settle().await;
    assert_eq!(names(&calls), ["north", "south"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn keys_of_deleted_objects_are_reconciled_on_request() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let calls = Calls::default();
    let controller = Controller::of::<Fleet>().state(calls.clone());
    let running = cluster.start(controller.reconcile_key(async |key: ObjectKey, cx: Context<Fleet, Calls>| {
        let state = if cx.get().is_some() { "exists" } else { "gone" };
        cx.state().lock().unwrap().push(format!("{key} {state}"));
        Ok::<_, Infallible>(Action::Done)
    }));
    settle().await;
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert_eq!(names(&calls), ["default/north exists", "default/north gone"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_is_missing_is_named() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        cx.owned::<ConfigMap>(&fleet);
        Ok::<_, Infallible>(Action::Done)
    }));
    settle().await;
    assert!(running.handle.metrics("fleet").unwrap().panics > 1);
    running.stop().await;
}
