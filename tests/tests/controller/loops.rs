//! Reconciliations that cause each other are reported.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crdkit::controller::{Action, Context, Controller, Error};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use crate::{
    cluster::{Cluster, Fleet, settle, ships},
    collector::Collector,
};

/// Changes the flag of each ship whenever it runs, up to a number of runs.
fn changes_flags(runs: u64) -> Controller {
    let counter = AtomicU64::new(0);
    Controller::of::<Fleet>().owns::<ConfigMap>().state((counter, runs)).reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, (AtomicU64, u64)>| -> Result<Action, Error> {
            sleep(Duration::from_millis(100)).await;
            let (counter, runs) = cx.state();
            let flag = counter.fetch_add(1, Ordering::Relaxed).min(*runs).to_string();
            let mut ships = ships(&fleet);
            ships.iter_mut().for_each(|ship| ship.data = Some([("flag".to_owned(), flag.clone())].into()));
            cx.apply_owned(&fleet, ships).await?;
            Ok(Action::Done)
        },
    )
}

fn reports(collector: &Collector) -> Vec<String> {
    let events = collector.events("the object is reconciled again and again");
    events.into_iter().map(|(_, fields)| fields["fields"].clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_loop_is_reported_once_until_an_outside_change() {
    let (collector, _guard) = Collector::install();
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(changes_flags(u64::MAX));
    settle().await;
    assert_eq!(reports(&collector), ["configmaps north-a: data.flag"]);
    assert_eq!(running.handle.metrics("fleet").unwrap().loops, 1);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(running.handle.metrics("fleet").unwrap().loops, 1);

    cluster.fleets.update("north", |fleet| fleet.spec.ships.push("b".into())).await.unwrap();
    settle().await;
    let reported = reports(&collector);
    assert_eq!(reported.len(), 2, "{reported:?}");
    let mut fields: Vec<_> = reported[1].split(", ").collect();
    fields.sort_unstable();
    assert_eq!(fields, ["configmaps north-a: data.flag", "configmaps north-b: data.flag"]);
    assert!(running.handle.openmetrics().contains("crdkit_reconcile_loops_total{controller=\"fleet\"} 2\n"));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn progress_is_no_loop() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(changes_flags(8));
    settle().await;
    // Somebody else changes the ship after each reconciliation.
    for number in 0..40 {
        let flag = format!("other {number}");
        cluster.ships.update("north-a", |ship| ship.data = Some([("flag".into(), flag.clone())].into())).await.unwrap();
        sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(running.handle.metrics("fleet").unwrap().loops, 0);
    running.stop().await;
}
