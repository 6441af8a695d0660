//! Events are reported in the background.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crdkit::controller::{Action, Context, Controller, Error, ObjectEvent, retry_after, terminal};
use crdkit_api_server::Requests;
use k8s_openapi::{api::events::v1::Event as ApiEvent, apimachinery::pkg::apis::meta::v1::Condition};
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, settle};

async fn events(cluster: &Cluster) -> Vec<ApiEvent> {
    cluster.client.resources::<ApiEvent>().namespace("default").list().await.unwrap().items
}

#[tokio::test(start_paused = true)]
async fn equal_events_become_a_series() {
    let cluster = Cluster::new();
    let fleet = cluster.launch("north", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.event(&fleet, ObjectEvent::normal("Sailed", "a mile"));
            Ok(Action::requeue(Duration::from_secs(60)))
        },
    ));
    settle().await;
    let first = events(&cluster).await.remove(0);
    let regarding = first.regarding.unwrap();
    assert_eq!((regarding.kind.as_deref(), regarding.uid), (Some("Fleet"), fleet.metadata.uid));
    assert_eq!(regarding.api_version.as_deref(), Some("sea.example.com/v1"));
    assert_eq!((first.type_.as_deref(), first.reason.as_deref()), (Some("Normal"), Some("Sailed")));
    assert_eq!((first.note.as_deref(), first.action.as_deref()), (Some("a mile"), Some("Reconcile")));
    assert_eq!((first.reporting_controller.as_deref(), first.series), (Some("fleet"), None));

    sleep(Duration::from_secs(600)).await;
    let listed = events(&cluster).await;
    assert_eq!((listed.len(), listed[0].series.as_ref().unwrap().count), (1, 2));
    // The creation, and the begin of the series.
    assert_eq!(cluster.take_writes().len(), 2);
    running.stop().await;
    assert_eq!(events(&cluster).await[0].series.as_ref().unwrap().count, 11);
}

#[tokio::test(start_paused = true)]
async fn events_of_one_object_are_limited() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.launch("south", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let miles = if fleet.metadata.name.as_deref() == Some("north") { 40 } else { 1 };
            (0..miles).for_each(|mile| cx.event(&fleet, ObjectEvent::warning("Sailed", &format!("mile {mile}"))));
            Ok(Action::Done)
        },
    ));
    settle().await;
    assert_eq!(events(&cluster).await.len(), 26);
    assert_eq!(running.handle.metrics("fleet").unwrap().dropped_events, 15);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rejected_events_fail_nothing() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let mut elsewhere = (*fleet).clone();
            elsewhere.metadata.namespace = Some("Not A Namespace".into());
            cx.event(&elsewhere, ObjectEvent::normal("Lost", "no land in sight"));
            Ok(Action::Done)
        },
    ));
    settle().await;
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.successes, metrics.failures, metrics.dropped_events), (1, 0, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn events_that_are_not_accepted_before_the_end_are_counted() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.server.faults().on(Requests::create().of::<ApiEvent>()).fail(503);
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            (0..3).for_each(|mile| cx.event(&fleet, ObjectEvent::normal("Sailed", &format!("mile {mile}"))));
            Ok(Action::Done)
        },
    ));
    settle().await;
    let handle = running.handle.clone();
    assert_eq!(handle.metrics("fleet").unwrap().dropped_events, 0);
    running.stop().await;
    assert_eq!(handle.metrics("fleet").unwrap().dropped_events, 3);
}

/// What the API server does not accept is shortened or replaced, so that no event is lost.
#[tokio::test(start_paused = true)]
async fn texts_and_names_of_any_length_are_recorded() {
    let cluster = Cluster::new();
    cluster.launch(&"n".repeat(253), &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.event(&fleet, ObjectEvent::normal("", &"ü".repeat(1_000)));
            cx.event(&fleet, ObjectEvent::warning(&"R".repeat(200), "").action(&"A".repeat(200)));
            Ok(Action::Done)
        },
    ));
    settle().await;
    assert_eq!(running.handle.metrics("fleet").unwrap().dropped_events, 0);
    let mut events = events(&cluster).await;
    events.sort_by_key(|event| event.type_.clone());
    let lengths = |event: &ApiEvent| {
        let texts = [&event.reason, &event.note, &event.action];
        texts.map(|text| text.as_deref().unwrap_or_default().len())
    };
    assert_eq!(events.iter().map(lengths).collect::<Vec<_>>(), [[11, 1_024, 9], [128, 0, 128]]);
    running.stop().await;
}

/// The cluster may have rules of its own.
#[tokio::test(start_paused = true)]
async fn the_server_validates_events() {
    let cluster = Cluster::new();
    let mut event: ApiEvent = serde_json::from_value(serde_json::json!({
        "metadata": { "name": "north.1" }, "eventTime": "2030-01-01T00:00:00.000000Z", "type": "Normal",
        "reason": "Sailed", "action": "Reconcile", "reportingController": "my controller", "reportingInstance": "a",
        "regarding": { "namespace": "default" },
    }))
    .unwrap();
    let events = cluster.client.resources::<ApiEvent>().namespace("default");
    let refused = events.create(&event).await.unwrap_err().to_string();
    assert!(refused.contains("reportingController"), "{refused}");
    event.reporting_controller = Some("my-controller".to_owned());
    events.create(&event).await.unwrap();
}

/// The events of failures: their types, reasons, notes and counts.
async fn failures(cluster: &Cluster) -> Vec<(String, String, String, i32)> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let line = |event: ApiEvent| {
        let count = event.series.map_or(1, |series| series.count);
        (text(event.type_), text(event.reason), text(event.note), count)
    };
    events(cluster).await.into_iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn failures_are_events_with_the_time_of_the_next_attempt() {
    let cluster = Cluster::new();
    for name in ["backoff", "delayed", "terminal", "well"] {
        cluster.launch(name, &[]).await;
    }
    let is_open = Arc::new(AtomicBool::new(false));
    let controller = Controller::of::<Fleet>().state(is_open.clone()).report_failures().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, Arc<AtomicBool>>| -> Result<Action, Error> {
            if cx.state().load(Ordering::SeqCst) {
                return Ok(Action::Done);
            }
            match fleet.metadata.name.as_deref() {
                Some("backoff") => Err("the harbour is closed".into()),
                Some("delayed") => Err(retry_after("the tide is low", Duration::from_secs(60)).into()),
                Some("terminal") => Err(terminal("there is no such sea").into()),
                _ => Ok(Action::Done),
            }
        },
    );
    let running = cluster.start(controller);
    // The third attempt is less than a second after the first one.
    settle().await;
    let warning = |note: &str, count| ("Warning".into(), "ReconcileFailed".into(), note.to_owned(), count);
    let waits = "the harbour is closed; it is tried again within 600s, sooner after fewer failures";
    let mut expected = [
        warning("the tide is low; it is tried again after 60s", 1),
        warning("there is no such sea; it is not tried again until the object changes", 1),
        warning(waits, 2),
    ];
    let sorted = |mut all: Vec<(String, String, String, i32)>| {
        all.sort();
        all
    };
    expected.sort();
    assert_eq!(sorted(failures(&cluster).await), expected);

    sleep(Duration::from_secs(120)).await;
    is_open.store(true, Ordering::SeqCst);
    sleep(Duration::from_secs(300)).await;
    let all = failures(&cluster).await;
    let normal: Vec<_> = all.iter().filter(|(type_, ..)| type_ == "Normal").collect();
    let recovered = ("Normal".into(), "Reconciled".into(), "it is reconciled after failures".into(), 1);
    // One that failed again and again, and one of which the delay was known.
    assert!(!normal.is_empty() && normal.iter().all(|event| **event == recovered), "{all:?}");
    assert_eq!(all.len() - normal.len(), 3, "a series has one event: {all:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn failures_are_no_events_unless_they_are_reported() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(
        async |_: Arc<Fleet>, _: Context<Fleet>| -> Result<Action, Error> { Err("the harbour is closed".into()) },
    ));
    sleep(Duration::from_secs(60)).await;
    assert!(events(&cluster).await.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_condition_says_why_an_object_waits() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let is_open = Arc::new(AtomicBool::new(false));
    let controller = Controller::of::<Fleet>().state(is_open.clone()).failure_condition("Failing").reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, Arc<AtomicBool>>| -> Result<Action, Error> {
            cx.status(&fleet).update(|status| status.afloat = 1);
            let is_open = cx.state().load(Ordering::SeqCst);
            if is_open { Ok(Action::Done) } else { Err("the harbour is closed".into()) }
        },
    );
    let running = cluster.start(controller);
    let condition = async || {
        let status = cluster.fleets.get("north").await.unwrap().status.unwrap();
        assert_eq!(status.afloat, 1);
        let line = |it: &Condition| (it.type_.clone(), it.status.clone(), it.reason.clone(), it.message.clone());
        status.conditions.iter().map(line).next()
    };
    sleep(Duration::from_millis(90)).await;
    // Once is no reason to worry.
    assert_eq!(condition().await, None);
    sleep(Duration::from_secs(60)).await;
    let message = "the harbour is closed; it is tried again within 600s, sooner after fewer failures";
    let expected = ["Failing", "True", "ReconcileFailed", message].map(str::to_owned);
    assert_eq!(condition().await, Some(expected.into()));
    // The status at the first failure, and the condition at the third one.
    assert_eq!(cluster.take_writes().len(), 2);

    is_open.store(true, Ordering::SeqCst);
    sleep(Duration::from_secs(300)).await;
    let expected = ["Failing", "False", "Reconciled", ""].map(str::to_owned);
    assert_eq!(condition().await, Some(expected.into()));
    assert_eq!(cluster.take_writes().len(), 1);
    running.stop().await;
}
