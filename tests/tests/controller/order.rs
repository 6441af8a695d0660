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
use tokio::time::{Instant, sleep};

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

/// Each object of a first list is reconciled as soon as FIFO order would, although the earlier ones are polled or fail meanwhile.
#[tokio::test(start_paused = true)]
async fn a_first_list_does_not_wait_for_polls_and_failures() {
    let cluster = Cluster::new();
    for number in 0..300 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let log = Log::default();
    let polls = async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| -> Result<Action, Error> {
        sleep(Duration::from_millis(100)).await;
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        match fleet.name() {
            name if name < "f040" => Err("no wind".into()),
            _ => Ok(Action::requeue(Duration::from_secs(5))),
        }
    };
    let running = cluster.start(Controller::of::<Fleet>().state(log.clone()).reconcile(polls));
    sleep(Duration::from_secs(32)).await;
    let mut reconciled = std::mem::take(&mut *log.lock().unwrap());
    reconciled.sort();
    reconciled.dedup();
    assert_eq!(reconciled.len(), 300);
    running.stop().await;
}

/// Changes that never end leave a fifth of the runs to the first list.
#[tokio::test(start_paused = true)]
async fn a_first_list_does_not_wait_for_a_storm_of_changes() {
    let cluster = Cluster::new();
    for number in 0..60 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let log = Log::default();
    let running = cluster.start(Controller::of::<Fleet>().state(log.clone()).reconcile(reconcile));
    // Ten objects change twice as often as there are runs.
    for second in 0..350 {
        for number in 0..2 {
            let name = format!("f{:03}", 50 + (2 * second + number) % 10);
            cluster.fleets.update(&name, |fleet| fleet.spec.ships.push("a".into())).await.unwrap();
        }
        sleep(Duration::from_secs(1)).await;
    }
    for number in 0..60 {
        let first = position(&log, &format!("default/f{number:03}"), 0);
        assert!(first <= 5 * 60, "f{number:03} was {first}");
    }
    running.stop().await;
}

/// Seconds after an outage, not minutes, all objects were tried again.
#[tokio::test(start_paused = true)]
async fn after_an_outage_all_objects_follow_the_first_success() {
    let cluster = Cluster::new();
    for number in 0..1_000 {
        cluster.launch(&format!("f{number:03}"), &[]).await;
    }
    let log = Log::default();
    let ends = Instant::now() + Duration::from_secs(60);
    let fails = move |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| async move {
        if Instant::now() < ends {
            return Err(Error::from("the dependency is away"));
        }
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        Ok(Action::Done)
    };
    let running = cluster.start(Controller::of::<Fleet>().concurrency(8).state(log.clone()).reconcile(fails));
    sleep(Duration::from_secs(65)).await;
    // The last delays of a few objects that were retried most often are longer.
    let soon = log.lock().unwrap().len();
    assert!(soon >= 900, "{soon}");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(log.lock().unwrap().len(), 1_000);
    running.stop().await;
}
