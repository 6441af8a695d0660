//! Objects are cleaned up before they are removed.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    controller::{Action, Context, Controller, ControllerBuilder, Error},
    informer::CacheObject,
};
use serde_json::json;

use crate::cluster::{Cluster, Fleet, settle};

const ANCHOR: &str = "sea.example.com/anchor";
const FLAG: &str = "sea.example.com/flag";

type Log = Arc<Mutex<Vec<String>>>;

fn take(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().unwrap())
}

fn log(cx: &Context<Fleet, Log>, text: &str) {
    cx.state().lock().unwrap().push(text.to_owned());
}

fn builder(state: &Log) -> ControllerBuilder<Fleet, Log> {
    let anchor = async |_: Arc<Fleet>, cx: Context<Fleet, Log>| -> Result<Action, Error> {
        log(&cx, "anchor");
        match cx.state().lock().unwrap().iter().filter(|line| *line == "anchor").count() {
            1 => Err("the chain is stuck".into()),
            2 => Ok(Action::requeue(Duration::from_secs(1))),
            _ => Ok(Action::Done),
        }
    };
    let flag = async |_: Arc<Fleet>, cx: Context<Fleet, Log>| -> Result<Action, Error> {
        log(&cx, "flag");
        Ok(Action::Done)
    };
    Controller::of::<Fleet>().state(state.clone()).finalizer(ANCHOR, anchor).finalizer(FLAG, flag)
}

fn controller(state: &Log) -> Controller {
    builder(state).reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| -> Result<Action, Error> {
        let finalizers = fleet.finalizers().count();
        log(&cx, &format!("reconcile with {finalizers}"));
        Ok(Action::Done)
    })
}

#[tokio::test(start_paused = true)]
async fn finalizers_are_added_first_and_processed_in_order() {
    let cluster = Cluster::new();
    let state = Log::default();
    cluster.launch("north", &[]).await;
    let running = cluster.start(controller(&state));
    settle().await;
    assert_eq!(cluster.take_writes().len(), 1);
    let calls = take(&state);
    assert!(!calls.is_empty() && calls.iter().all(|call| call == "reconcile with 2"), "{calls:?}");
    let fleet = cluster.fleets.get("north").await.unwrap();
    assert_eq!(fleet.finalizers().collect::<Vec<_>>(), [ANCHOR, FLAG]);

    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert_eq!(take(&state), ["anchor", "anchor", "anchor", "flag"]);
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    assert_eq!(running.handle.metrics("fleet").unwrap().forced_deletions, 0);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn foreign_finalizers_are_left_alone() {
    let cluster = Cluster::new();
    let state = Log::default();
    let mut fleet = crate::cluster::fleet("north", &[]);
    fleet.metadata.finalizers = Some(vec!["example.com/other".into()]);
    cluster.fleets.create(&fleet).await.unwrap();
    let running = cluster.start(controller(&state));
    settle().await;
    take(&state);
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert_eq!(take(&state), ["anchor", "anchor", "anchor", "flag"]);
    let fleet = cluster.fleets.get("north").await.unwrap();
    assert_eq!(fleet.finalizers().collect::<Vec<_>>(), ["example.com/other"]);
    // Changes of the terminating object clean up nothing again.
    cluster.fleets.update("north", |fleet| fleet.spec.ships.push("a".into())).await.unwrap();
    settle().await;
    running.stop().await;
    let running = cluster.start(controller(&state));
    settle().await;
    assert!(take(&state).is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn clean_up_continues_after_a_restart() {
    let cluster = Cluster::new();
    let state = Log::default();
    cluster.launch("north", &[]).await;
    let running = cluster.start(controller(&state));
    settle().await;
    running.stop().await;
    cluster.fleets.delete("north").await.unwrap();
    // The process before was killed after the first finalizer was removed.
    cluster.fleets.finalizers().remove("north", ANCHOR).await.unwrap();
    take(&state);
    let running = cluster.start(controller(&state));
    settle().await;
    assert_eq!(take(&state), ["flag"]);
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_forced_removal_is_counted() {
    let cluster = Cluster::new();
    let state = Log::default();
    cluster.launch("north", &[]).await;
    let hangs = async |_: Arc<Fleet>, _: Context<Fleet, Log>| -> Result<Action, Error> { Err("stuck".into()) };
    let controller = Controller::of::<Fleet>().state(state).finalizer(ANCHOR, hangs);
    let running =
        cluster.start(controller.reconcile(async |_: Arc<Fleet>, _: Context<Fleet, Log>| Ok::<_, Error>(Action::Done)));
    settle().await;
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    let force = crdkit::client::Patch::merge(json!({ "metadata": { "finalizers": null } }));
    cluster.fleets.patch("north", &force).await.unwrap();
    settle().await;
    assert_eq!(running.handle.metrics("fleet").unwrap().forced_deletions, 1);
    running.stop().await;
}
