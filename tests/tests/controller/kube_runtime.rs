//! Reconcile functions of kube-runtime, and kube-runtime itself with derived types.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::controller::{Controller, kube_reconciler};
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, ResourceExt,
    api::{Patch, PatchParams},
    runtime::{
        Controller as KubeController,
        controller::Action,
        finalizer::{Event, finalizer},
        watcher,
    },
};
use serde_json::json;
use tokio::{sync::oneshot, time::sleep};

use crate::cluster::{Cluster, Fleet, settle, ships};

const ANCHOR: &str = "sea.example.com/anchor";

struct Data {
    client: kube::Client,
    calls: Mutex<Vec<String>>,
}

impl Data {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }
}

#[derive(Debug, thiserror::Error)]
enum ReconcileError {
    #[error("no wind")]
    NoWind,
    #[error("sunk")]
    Sunk,
    #[error("the request failed")]
    Kube(#[from] kube::Error),
    #[error("the finalizer failed")]
    Finalizer(#[source] Box<kube::runtime::finalizer::Error<ReconcileError>>),
}

/// As kube's documentation has it.
async fn reconcile(fleet: Arc<Fleet>, ctx: Arc<Data>) -> Result<Action, ReconcileError> {
    let fleets: Api<Fleet> = Api::namespaced(ctx.client.clone(), &fleet.namespace().unwrap());
    let applied = finalizer(&fleets, ANCHOR, fleet, |event| async {
        match event {
            Event::Apply(fleet) => apply(&fleet, &ctx).await,
            Event::Cleanup(fleet) => {
                ctx.calls.lock().unwrap().push(format!("clean up {}", fleet.name_any()));
                Ok(Action::await_change())
            }
        }
    });
    applied.await.map_err(|error| ReconcileError::Finalizer(Box::new(error)))
}

async fn apply(fleet: &Fleet, ctx: &Data) -> Result<Action, ReconcileError> {
    ctx.calls.lock().unwrap().push(fleet.name_any());
    match &*fleet.name_any() {
        "fails" => return Err(ReconcileError::NoWind),
        "surrenders" => return Err(ReconcileError::Sunk),
        _ => {}
    }
    let namespaced: Api<ConfigMap> = Api::namespaced(ctx.client.clone(), &fleet.namespace().unwrap());
    for mut ship in ships(fleet) {
        ship.owner_references_mut().push(kube::Resource::controller_owner_ref(fleet, &()).unwrap());
        namespaced.patch(&ship.name_any(), &PatchParams::apply("fleets"), &Patch::Apply(&ship)).await?;
    }
    let fleets: Api<Fleet> = Api::namespaced(ctx.client.clone(), &fleet.namespace().unwrap());
    let status = json!({ "status": { "afloat": fleet.spec.ships.len() } });
    fleets.patch_status(&fleet.name_any(), &PatchParams::default(), &Patch::Merge(&status)).await?;
    Ok(Action::requeue(Duration::from_millis(30_500)))
}

fn error_policy(_: Arc<Fleet>, error: &ReconcileError, _: Arc<Data>) -> Action {
    match error {
        ReconcileError::Finalizer(error) if is_sunk(error) => Action::await_change(),
        _ => Action::requeue(Duration::from_secs(20)),
    }
}

fn is_sunk(error: &kube::runtime::finalizer::Error<ReconcileError>) -> bool {
    matches!(error, kube::runtime::finalizer::Error::ApplyFailed(ReconcileError::Sunk))
}

fn data(cluster: &Cluster) -> Arc<Data> {
    Arc::new(Data { client: cluster.server.kube_client(), calls: Mutex::default() })
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_function_of_kube_runs() {
    let cluster = Cluster::new();
    for name in ["fails", "north", "surrenders"] {
        cluster.launch(name, &["a"]).await;
    }
    let data = data(&cluster);
    let controller = Controller::of::<Fleet>().owns::<ConfigMap>().concurrency(4).reconcile_key(kube_reconciler(
        reconcile,
        error_policy,
        data.clone(),
    ));
    let running = cluster.start(controller);
    // The finalizer of kube causes a second reconciliation.
    sleep(Duration::from_secs(15)).await;
    let mut calls = data.take();
    calls.sort();
    calls.dedup();
    assert_eq!(calls, ["fails", "north", "surrenders"]);
    assert_eq!(cluster.ship_names().await, ["north-a"]);

    // 20 s after the failure, and 30.5 s after the success.
    sleep(Duration::from_secs(11)).await;
    assert_eq!(data.take(), ["fails"]);
    sleep(Duration::from_secs(11)).await;
    assert_eq!(data.take(), ["north"]);
    sleep(Duration::from_secs(120)).await;
    assert!(!data.take().contains(&"surrenders".to_owned()));

    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert!(data.take().contains(&"clean up north".to_owned()));
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    let metrics = running.handle.metrics("fleet").unwrap();
    assert!(metrics.terminal_failures >= 1 && metrics.failures > 3, "{metrics:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_controller_of_kube_runs_derived_types() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let data = data(&cluster);
    let (stop, stopped) = oneshot::channel::<()>();
    let fleets: Api<Fleet> = Api::all(data.client.clone());
    let config_maps: Api<ConfigMap> = Api::all(data.client.clone());
    let controller = KubeController::new(fleets, watcher::Config::default())
        .owns(config_maps, watcher::Config::default())
        .graceful_shutdown_on(async { drop(stopped.await) })
        .run(reconcile, error_policy, data.clone())
        .for_each(|_| async {});
    let running = tokio::spawn(controller);
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a"]);
    let fleet = cluster.fleets.get("north").await.unwrap();
    assert_eq!((fleet.status.as_ref().unwrap().afloat, fleet.finalizers()), (1, &[ANCHOR.to_owned()][..]));
    cluster.ships.delete("north-a").await.unwrap();
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a"]);
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    stop.send(()).unwrap();
    running.await.unwrap();
}
