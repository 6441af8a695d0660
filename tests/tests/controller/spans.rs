//! Each reconciliation has a span with its object, its trigger and its attempt.

use std::{sync::Arc, time::Duration};

use crdkit::{
    controller::{Action, Context, Controller, Error, terminal},
    informer::CacheObject,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use crate::{
    cluster::{Cluster, Fleet, settle},
    collector::Collector,
};

async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    match fleet.name() {
        "fails" => Err("no wind".into()),
        "repeats" => Ok(Action::requeue(Duration::from_secs(4))),
        _ => {
            cx.apply_owned(&fleet, crate::cluster::ships(&fleet)).await?;
            Ok(Action::Done)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn spans_have_object_trigger_and_attempt() {
    let (collector, _guard) = Collector::install();
    let cluster = Cluster::new();
    cluster.launch("fails", &[]).await;
    cluster.launch("repeats", &[]).await;
    let map = |config: &ConfigMap| {
        config
            .data
            .iter()
            .flatten()
            .filter(|(key, _)| *key == "of")
            .map(|(_, name)| crdkit::controller::ObjectKey::new("default", name))
            .collect()
    };
    let running =
        cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().watches::<ConfigMap>(map).reconcile(reconcile));
    settle().await;
    let first = collector.first();
    assert_eq!((first["span"].as_str(), first["controller"].as_str()), ("reconcile", "fleet"));
    assert_eq!((first["namespace"].as_str(), first["reconcile_id"].len()), ("default", 16));
    assert_eq!(collector.take("repeats"), ["first_list 1", "requeue 1"]);

    cluster.launch("north", &["a"]).await;
    settle().await;
    // Its own creation of a ship is a change of an owned object.
    assert_eq!(collector.take("north"), ["change 1", "owned configmaps 1"]);
    cluster.ships.delete("north-a").await.unwrap();
    settle().await;
    assert_eq!(collector.take("north"), ["owned configmaps 1", "owned configmaps 1"]);
    let config = json!({ "metadata": { "name": "order" }, "data": { "of": "north" } });
    cluster.ships.create(&serde_json::from_value(config).unwrap()).await.unwrap();
    settle().await;
    assert_eq!(collector.take("north"), ["watched configmaps 1"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn failures_are_logged_in_the_span_and_counted() {
    let (collector, _guard) = Collector::install();
    let cluster = Cluster::new();
    cluster.launch("fails", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(reconcile));
    tokio::time::sleep(Duration::from_millis(600)).await;
    let failures = collector.events("reconciliation failed");
    assert!(failures.len() >= 3 && failures.iter().all(|(span, _)| span.as_deref() == Some("fails")), "{failures:?}");
    let attempts = collector.take("fails");
    assert_eq!(attempts[..3], ["first_list 1", "retry 2", "retry 3"]);
    running.stop().await;
}

/// The collector of traces shows those that failed.
#[tokio::test(start_paused = true)]
async fn spans_have_the_result() {
    let (collector, _guard) = Collector::install();
    let cluster = Cluster::new();
    let names = ["done", "again", "later", "fails", "gives-up", "panics"];
    for name in names {
        cluster.launch(name, &[]).await;
    }
    let running = cluster.start(Controller::of::<Fleet>().reconcile(end_as_named));
    settle().await;
    let spans = collector.spans();
    let first = |name: &str| spans.iter().find(|span| span["name"] == name && span["attempt"] == "1").unwrap();
    let status = |name: &str| first(name).get("otel.status_code").map(String::as_str);
    let results = names.map(|name| (first(name)["kind"].as_str(), first(name)["result"].as_str(), status(name)));
    let expected = [
        ("success", None),
        ("requeue", None),
        ("requeue_after", None),
        ("error", Some("ERROR")),
        ("terminal_error", Some("ERROR")),
        ("panic", Some("ERROR")),
    ];
    assert_eq!(results, expected.map(|(result, status)| ("Fleet", result, status)));
    running.stop().await;
}

async fn end_as_named(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    match fleet.name() {
        // Once: at the second time it is done.
        "again" if fleet.status.is_none() => {
            cx.status(&fleet).update(|status| status.afloat = 1).await?;
            Ok(Action::requeue(Duration::ZERO))
        }
        "later" => Ok(Action::requeue(Duration::from_secs(3600))),
        "fails" => Err("no wind".into()),
        "gives-up" => Err(terminal("no sea").into()),
        "panics" => panic!("no ship"),
        _ => Ok(Action::Done),
    }
}
