use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio::time::{Instant, sleep};

use super::*;
use crate::{
    client::{error::ClientOperation, request::Verb},
    informer::{
        WatchError,
        cache::{Cache, Delta},
        health::Gauge,
        reporter::Reporter,
        running::Running,
        shared::InformerState,
        store::Store,
    },
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Creates an informer whose watches are controlled by the test.
fn informer<T: CacheObject>(group: &str, plural: &str, namespaces: &[&str]) -> Informer<T> {
    let operation = ClientOperation {
        verb: Verb::Watch,
        group: group.to_owned(),
        version: "v1".to_owned(),
        kind: String::new(),
        plural: plural.to_owned(),
        subresource: None,
        namespace: None,
        name: None,
        generate_name: None,
        quotes_values: false,
    };
    let gauges = namespaces.iter().map(|namespace| Gauge::new(Some(namespace)));
    let cache = Cache::new(Store::new(Vec::new()));
    let shared = InformerState::new(cache, gauges.collect(), Reporter::new(operation));
    let shared = Arc::new(shared);
    Informer::new(Arc::new(Running::new(shared, None)))
}

fn complete_list<T: CacheObject>(informer: &Informer<T>, watch: usize) {
    let shared = &informer.running().shared;
    shared.gauges()[watch].complete_list("1", tokio::time::Instant::now());
    shared.notify_waiters();
}

/// Fails a watch with an error that a retry cannot resolve.
fn refuse<T: CacheObject>(informer: &Informer<T>, watch: usize) {
    let error = WatchError::Thread(std::io::Error::other("forbidden"));
    assert!(error.is_refusal());
    let shared = &informer.running().shared;
    shared.gauges()[watch].record_end(Some(Arc::new(error)), None);
    shared.notify_waiters();
}

fn config(name: &str) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config
}

/// Creates two informers, of which the first is synced with one object.
fn informers() -> (Informer<ConfigMap>, Informer<Secret>) {
    let configs = informer::<ConfigMap>("", "configmaps", &["prod"]);
    let cache = &configs.running().shared.cache;
    let prepared = cache.store.prepare(Arc::new(config("web")));
    cache.commit(&mut vec![Delta::Apply(prepared)], None);
    complete_list(&configs, 0);
    (configs, informer("example.com", "secrets", &["prod", "test"]))
}

fn no_keys(_: &Event<Secret>) -> Vec<ObjectKey> {
    Vec::new()
}

/// The keys that were reconciled, with their times.
type Reconciled = Arc<Mutex<Vec<(ObjectKey, Instant)>>>;

fn record_to(reconciled: &Reconciled) -> impl Fn(ObjectKey) -> ReconcileOutcome + Send + Sync + 'static + use<> {
    let reconciled = reconciled.clone();
    move |key| {
        reconciled.lock().unwrap().push((key, Instant::now()));
        Box::pin(async { Ok(Action::Done) })
    }
}

type ReconcileOutcome = Pin<Box<dyn Future<Output = Result<Action, String>> + Send>>;

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_all_informers_are_synced() {
    let (configs, secrets) = informers();
    let work = configs.reconciler().watches(&secrets, no_keys);
    let (queue, reconciled) = (work.queue(), Reconciled::default());
    refuse(&secrets, 0);
    let started = Instant::now();
    let steps = async {
        sleep(seconds(10)).await;
        complete_list(&secrets, 0);
        sleep(seconds(50)).await;
        assert!(reconciled.lock().unwrap().is_empty());
        complete_list(&secrets, 1);
        sleep(seconds(1)).await;
        queue.shut_down();
    };
    let (ended, ()) = tokio::join!(work.run(2, record_to(&reconciled)), steps);
    ended.unwrap();
    let reconciled = reconciled.lock().unwrap();
    assert_eq!(reconciled.len(), 1);
    assert_eq!((reconciled[0].1 - started).as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_lost_namespace_delays_only_its_own_objects() {
    for refused in [true, false] {
        let (configs, secrets) = informers();
        let work = configs.reconciler().watches(&secrets, no_keys);
        let (queue, reconciled) = (work.queue(), Reconciled::default());
        let keys = ["prod", "test", "other"].map(|namespace| ObjectKey::new(namespace, "a"));
        keys.iter().for_each(|key| queue.add(key.clone()));
        complete_list(&secrets, 0);
        if refused {
            refuse(&secrets, 1);
        }
        let started = Instant::now();
        let names = || {
            let mut names: Vec<_> = reconciled.lock().unwrap().iter().map(|(key, _)| key.to_string()).collect();
            names.sort();
            names
        };
        let steps = async {
            sleep(seconds(if refused { 1 } else { 121 })).await;
            assert_eq!(names(), ["other/a", "prod/a", "web"]);
            complete_list(&secrets, 1);
            sleep(seconds(1)).await;
            assert_eq!(names(), ["other/a", "prod/a", "test/a", "web"]);
            queue.shut_down();
        };
        let (ended, ()) = tokio::join!(work.run(2, record_to(&reconciled)), steps);
        ended.unwrap();
        let first = reconciled.lock().unwrap()[0].1 - started;
        assert_eq!(first.as_secs(), if refused { 0 } else { 120 });
    }
}

#[tokio::test(start_paused = true)]
async fn informers_that_are_only_read_are_waited_for() {
    let (configs, secrets) = informers();
    let work = configs.reconciler().reads(&secrets).sync_timeout(seconds(10));
    let reconciled = Reconciled::default();
    let error = work.run(1, record_to(&reconciled)).await.unwrap_err();
    assert!(matches!(error, RunError::NotSynced { .. }), "{error}");
    assert!(reconciled.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn unsynced_watches_are_named() {
    let (configs, secrets) = informers();
    let work = configs.reconciler().watches(&secrets, no_keys).watches(&secrets, no_keys);
    let reconciled = Reconciled::default();
    refuse(&secrets, 1);
    let started = Instant::now();
    let error = work.run(2, record_to(&reconciled)).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 120);
    assert!(reconciled.lock().unwrap().is_empty());
    let message = "nothing is reconciled, because not all objects were listed within 120s: `secrets.example.com` in `prod`: \
        no error, the response is still pending; `secrets.example.com` in `test`: failed to spawn the thread of the informer: \
        forbidden; grant the missing permissions or install the missing resources, or make the informer optional with \
        `start_without`";
    assert_eq!(error.to_string(), message);
    let RunError::NotSynced { watches, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(watches.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_optional_informer_is_not_waited_for() {
    for refused in [true, false] {
        let (configs, secrets) = informers();
        let work = configs.reconciler().start_without(&secrets).sync_timeout(seconds(30)).watches(&secrets, no_keys);
        let (queue, reconciled) = (work.queue(), Reconciled::default());
        if refused {
            refuse(&secrets, 0);
            refuse(&secrets, 1);
        }
        let started = Instant::now();
        let steps = async {
            sleep(seconds(31)).await;
            queue.shut_down();
        };
        let (ended, ()) = tokio::join!(work.run(2, record_to(&reconciled)), steps);
        ended.unwrap();
        let waited = reconciled.lock().unwrap()[0].1 - started;
        assert_eq!(waited.as_secs(), if refused { 0 } else { 30 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopped_informer_ends_the_run() {
    for synced in [true, false] {
        let (configs, secrets) = informers();
        let work = configs.reconciler().watches(&secrets, no_keys);
        if synced {
            (0..2).for_each(|watch| complete_list(&secrets, watch));
        }
        let reconciled = Reconciled::default();
        let steps = async {
            sleep(seconds(1)).await;
            secrets.stop();
        };
        let (ended, ()) = tokio::join!(work.run(2, record_to(&reconciled)), steps);
        let message = "the informer of `secrets.example.com` was stopped while its objects were being reconciled";
        assert_eq!(ended.unwrap_err().to_string(), message);
        assert_eq!(reconciled.lock().unwrap().len(), usize::from(synced));
    }
}

#[tokio::test(start_paused = true)]
async fn shutdown_is_bounded() {
    let (configs, secrets) = informers();
    let work = configs.reconciler().watches(&secrets, no_keys);
    let never = |_| std::future::pending::<Result<Action, String>>();
    work.until(sleep(seconds(5))).run(1, never).await.unwrap();

    (0..2).for_each(|watch| complete_list(&secrets, watch));
    let work = configs.reconciler().watches(&secrets, no_keys).drain_timeout(seconds(3)).until(sleep(seconds(5)));
    let started = Instant::now();
    let error = work.run(1, never).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 8);
    let RunError::DrainTimedOut(drain_timed_out) = error else {
        panic!("{error}");
    };
    assert_eq!(drain_timed_out.keys, [ObjectKey::new(None, "web")]);
}

#[tokio::test(start_paused = true)]
async fn cancelled_keys_are_named_in_every_error() {
    let (configs, secrets) = informers();
    (0..2).for_each(|watch| complete_list(&secrets, watch));
    let work = configs.reconciler().watches(&secrets, no_keys);
    let never = |_| std::future::pending::<Result<Action, String>>();
    let steps = async {
        sleep(seconds(1)).await;
        secrets.stop();
    };
    let work = work.drain_timeout(seconds(3));
    let (ended, ()) = tokio::join!(work.run(1, never), steps);
    let error = ended.unwrap_err();
    assert!(matches!(error, RunError::Stopped { .. }), "{error:?}");
    assert_eq!(error.drain_timed_out().unwrap().keys, [ObjectKey::new(None, "web")]);
    let message = "the informer of `secrets.example.com` was stopped while its objects were being reconciled; \
        reconciliations did not complete within 3s after shutdown and were cancelled: web";
    assert_eq!(error.to_string(), message);
}

#[tokio::test(start_paused = true)]
async fn any_timeout_is_accepted() {
    let (configs, secrets) = informers();
    let work = configs
        .reconciler()
        .watches(&secrets, no_keys)
        .sync_timeout(Duration::MAX)
        .drain_timeout(Duration::MAX)
        .backoff(Backoff::new(Duration::MAX, Duration::MAX));
    let queue = work.queue();
    let fails = |_| async { Err::<Action, _>("no") };
    let steps = async {
        sleep(seconds(1_000)).await;
        (0..2).for_each(|watch| complete_list(&secrets, watch));
        sleep(seconds(1)).await;
        assert_eq!(queue.metrics().delayed, 1);
        queue.shut_down();
    };
    let (ended, ()) = tokio::join!(work.run(1, fails), steps);
    ended.unwrap();
}
