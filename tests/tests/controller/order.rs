//! The order in which objects are reconciled.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    client::{Resources, scope::InNamespace},
    controller::{Action, Context, Controller, Error},
    informer::CacheObject,
};
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, fleet};

type Log = Arc<Mutex<Vec<String>>>;

/// Takes a second for each object, so that a queue forms.
async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet, Log>) -> Result<Action, Error> {
    sleep(Duration::from_secs(1)).await;
    cx.state().lock().unwrap().push(format!("{}/{}", fleet.namespace().unwrap_or_default(), fleet.name()));
    Ok(Action::Done)
}

fn position(log: &Log, key: &str, after: usize) -> usize {
    let log = log.lock().unwrap();
    log[after..].iter().position(|reconciled| reconciled == key).unwrap_or_else(|| panic!("{key} is missing"))
}

#[tokio::test(start_paused = true)]
async fn a_change_does_not_wait_for_the_initial_list() {
    let cluster = Cluster::new();
    for number in 0..200 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let log = Log::default();
    let running = cluster.start(Controller::of::<Fleet>().state(log.clone()).reconcile(reconcile));
    // In the middle of a reconciliation.
    sleep(Duration::from_millis(20_500)).await;
    let before = log.lock().unwrap().len();
    assert!((10..=20).contains(&before), "{before}");
    cluster.fleets.update("f199", |fleet| fleet.spec.ships.push("a".into())).await.unwrap();
    sleep(Duration::from_secs(300)).await;
    let position = position(&log, "default/f199", before);
    assert!(position <= 1, "{position}");
    // Each other object was reconciled once.
    assert_eq!(log.lock().unwrap().len(), 200);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_does_not_starve_another() {
    let cluster = Cluster::new();
    let log = Log::default();
    let running = cluster.start(Controller::of::<Fleet>().state(log.clone()).reconcile(reconcile));
    sleep(Duration::from_secs(1)).await;
    for number in 0..200 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let others: Resources<Fleet, InNamespace> = cluster.client.resources().namespace("kube-public");
    for name in ["a", "b", "c"] {
        others.create(&fleet(name, &[])).await.unwrap();
    }
    sleep(Duration::from_secs(300)).await;
    assert!(position(&log, "kube-public/c", 0) <= 8);
    assert_eq!(log.lock().unwrap().len(), 203);
    running.stop().await;
}

/// Retries of all objects together are limited, so that an outage of a dependency does not cause a storm.
#[tokio::test(start_paused = true)]
async fn retries_have_an_overall_rate() {
    let cluster = Cluster::new();
    for number in 0..400 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let log = Log::default();
    let fails = async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| -> Result<Action, Error> {
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        Err("no wind".into())
    };
    let running = cluster.start(Controller::of::<Fleet>().concurrency(8).state(log.clone()).reconcile(fails));
    sleep(Duration::from_secs(30)).await;
    // Each once, a burst of 100, and ten a second.
    let calls = log.lock().unwrap().len();
    assert!((600..=400 + 100 + 10 * 30).contains(&calls), "{calls}");
    running.stop().await;
}
