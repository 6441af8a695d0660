use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio::time::{Instant, sleep};

use super::*;
use crate::{
    client::{error::Operation, request::Verb},
    informer::{
        WatchError,
        cache::{Cache, Delta},
        handle::Running,
        health::Gauge,
        reporter::Reporter,
        shared::Shared,
        store::Store,
    },
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// An informer whose watches are told what to do.
fn informer<T: CacheObject>(group: &str, plural: &str, namespaces: &[&str]) -> Informer<T> {
    let operation = Operation {
        verb: Verb::Watch,
        group: group.to_owned(),
        version: "v1".to_owned(),
        kind: String::new(),
        plural: plural.to_owned(),
        subresource: None,
        namespace: None,
        name: None,
    };
    let gauges = namespaces
        .iter()
        .map(|namespace| Gauge::new(Some(namespace)));
    let cache = Cache::new(Store::new(Vec::new()));
    let shared = Shared::new(cache, gauges.collect(), Reporter::new(operation));
    let shared = Arc::new(shared);
    Informer::new(Arc::new(Running::new(shared, None)))
}

fn has_read<T: CacheObject>(informer: &Informer<T>, watch: usize) {
    let shared = &informer.running().shared;
    shared.gauges[watch].synced("1", tokio::time::Instant::now());
    shared.progressed();
}

/// A refusal, such as one that is `Thread`: nobody but people can remove it.
fn is_refused<T: CacheObject>(informer: &Informer<T>, watch: usize) {
    let error = WatchError::Thread(std::io::Error::other("forbidden"));
    assert!(error.is_refusal());
    let shared = &informer.running().shared;
    shared.gauges[watch].ended(Some(Arc::new(error)));
    shared.progressed();
}

fn config(name: &str) -> ConfigMap {
    let mut config = ConfigMap::default();
    config.metadata.name = Some(name.to_owned());
    config
}

/// Two informers, of which the first has read its only object.
fn informers() -> (Informer<ConfigMap>, Informer<Secret>) {
    let configs = informer::<ConfigMap>("", "configmaps", &["prod"]);
    let cache = &configs.running().shared.cache;
    let prepared = cache.store.prepare(Arc::new(config("web")));
    cache.commit(&mut vec![Delta::Apply(prepared)], None);
    has_read(&configs, 0);
    (
        configs,
        informer("example.com", "secrets", &["prod", "test"]),
    )
}

fn no_keys(_: &Event<Secret>) -> Vec<ObjectKey> {
    Vec::new()
}

/// When each key was reconciled.
type Reconciled = Arc<Mutex<Vec<(ObjectKey, Instant)>>>;

fn noting(
    reconciled: &Reconciled,
) -> impl Fn(ObjectKey) -> Outcome + Send + Sync + 'static + use<> {
    let reconciled = reconciled.clone();
    move |key| {
        reconciled.lock().unwrap().push((key, Instant::now()));
        Box::pin(async { Ok(Action::Done) })
    }
}

type Outcome = Pin<Box<dyn Future<Output = Result<Action, String>> + Send>>;

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_all_objects_are_read() {
    let (configs, secrets) = informers();
    let work = configs.queue().also(&secrets, no_keys);
    let (queue, reconciled) = (work.handle(), Reconciled::default());
    is_refused(&secrets, 0);
    is_refused(&secrets, 1);
    let started = Instant::now();
    let steps = async {
        sleep(seconds(10)).await;
        has_read(&secrets, 0);
        sleep(seconds(50)).await;
        assert!(reconciled.lock().unwrap().is_empty());
        has_read(&secrets, 1);
        sleep(seconds(1)).await;
        queue.shut_down();
    };
    let (ended, ()) = tokio::join!(work.run(2, noting(&reconciled)), steps);
    ended.unwrap();
    let reconciled = reconciled.lock().unwrap();
    assert_eq!(reconciled.len(), 1);
    assert_eq!((reconciled[0].1 - started).as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn what_is_only_looked_up_is_waited_for_too() {
    let (configs, secrets) = informers();
    let work = configs.queue().reads(&secrets);
    let work = work.sync_timeout(seconds(10));
    let reconciled = Reconciled::default();
    let error = work.run(1, noting(&reconciled)).await.unwrap_err();
    assert!(matches!(error, RunError::NotSynced { .. }), "{error}");
    assert!(reconciled.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn who_has_not_read_all_in_time_is_named() {
    let (configs, secrets) = informers();
    let work = configs
        .queue()
        .also(&secrets, no_keys)
        .also(&secrets, no_keys);
    let reconciled = Reconciled::default();
    is_refused(&secrets, 1);
    let started = Instant::now();
    let error = work.run(2, noting(&reconciled)).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 120);
    assert!(reconciled.lock().unwrap().is_empty());
    let message = "nothing is reconciled, since not all objects were read within 120s: `secrets.example.com` in `prod`: \
        no error, the answer takes longer; `secrets.example.com` in `test`: failed to spawn the thread of the informer: forbidden; \
        grant or install what is missing, or leave an informer out by `start_without`";
    assert_eq!(error.to_string(), message);
    let RunError::NotSynced { watches, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(watches.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_is_left_out_is_not_waited_for() {
    for refused in [true, false] {
        let (configs, secrets) = informers();
        let work = configs
            .queue()
            .start_without(&secrets)
            .sync_timeout(seconds(30))
            .also(&secrets, no_keys);
        let (queue, reconciled) = (work.handle(), Reconciled::default());
        if refused {
            is_refused(&secrets, 0);
            is_refused(&secrets, 1);
        }
        let started = Instant::now();
        let steps = async {
            sleep(seconds(31)).await;
            queue.shut_down();
        };
        let (ended, ()) = tokio::join!(work.run(2, noting(&reconciled)), steps);
        ended.unwrap();
        let waited = reconciled.lock().unwrap()[0].1 - started;
        assert_eq!(waited.as_secs(), if refused { 0 } else { 30 });
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_is_stopped_ends_the_work() {
    for synced in [true, false] {
        let (configs, secrets) = informers();
        let work = configs.queue().also(&secrets, no_keys);
        if synced {
            (0..2).for_each(|watch| has_read(&secrets, watch));
        }
        let reconciled = Reconciled::default();
        let steps = async {
            sleep(seconds(1)).await;
            secrets.stop();
        };
        let (ended, ()) = tokio::join!(work.run(2, noting(&reconciled)), steps);
        let message = "the informer of `secrets.example.com` was stopped while work was done with its objects";
        assert_eq!(ended.unwrap_err().to_string(), message);
        assert_eq!(reconciled.lock().unwrap().len(), usize::from(synced));
    }
}

#[tokio::test(start_paused = true)]
async fn being_shut_down_is_no_error_and_bounded() {
    let (configs, secrets) = informers();
    let work = configs.queue().also(&secrets, no_keys);
    let never = |_| std::future::pending::<Result<Action, String>>();
    work.until(sleep(seconds(5))).run(1, never).await.unwrap();

    (0..2).for_each(|watch| has_read(&secrets, watch));
    let work = configs.queue().also(&secrets, no_keys);
    let work = work.drain_timeout(seconds(3)).until(sleep(seconds(5)));
    let started = Instant::now();
    let error = work.run(1, never).await.unwrap_err();
    assert_eq!(started.elapsed().as_secs(), 8);
    let RunError::Undrained(undrained) = error else {
        panic!("{error}");
    };
    assert_eq!(undrained.keys, [ObjectKey::new(None, "web")]);
}

#[tokio::test(start_paused = true)]
async fn what_is_cancelled_is_named_whatever_ended_the_work() {
    let (configs, secrets) = informers();
    (0..2).for_each(|watch| has_read(&secrets, watch));
    let work = configs.queue().also(&secrets, no_keys);
    let never = |_| std::future::pending::<Result<Action, String>>();
    let steps = async {
        sleep(seconds(1)).await;
        secrets.stop();
    };
    let work = work.drain_timeout(seconds(3));
    let (ended, ()) = tokio::join!(work.run(1, never), steps);
    let error = ended.unwrap_err();
    assert!(matches!(error, RunError::Stopped { .. }), "{error:?}");
    assert_eq!(
        error.undrained().unwrap().keys,
        [ObjectKey::new(None, "web")]
    );
    let message = "the informer of `secrets.example.com` was stopped while work was done with its objects; \
        1 reconciliations still ran 3s after the queue was shut down and were cancelled: web";
    assert_eq!(error.to_string(), message);
}

#[tokio::test(start_paused = true)]
async fn no_time_is_too_long() {
    let (configs, secrets) = informers();
    let work = configs.queue().also(&secrets, no_keys);
    let work = work
        .sync_timeout(Duration::MAX)
        .drain_timeout(Duration::MAX)
        .backoff(Backoff::new(Duration::MAX, Duration::MAX));
    let queue = work.handle();
    let fails = |_| async { Err::<Action, _>("no") };
    let steps = async {
        sleep(seconds(1_000)).await;
        (0..2).for_each(|watch| has_read(&secrets, watch));
        sleep(seconds(1)).await;
        assert_eq!(queue.metrics().delayed, 1);
        queue.shut_down();
    };
    let (ended, ()) = tokio::join!(work.run(1, fails), steps);
    ended.unwrap();
}
