//! What the watches of an informer and its handles have in common.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::watch;

use super::{
    CacheObject,
    cache::Cache,
    error::WatchError,
    health::{Executor, Gauge},
    reporter::Reporter,
};

pub(super) struct Shared<T: CacheObject> {
    pub(super) cache: Cache<T>,
    /// One for each watch.
    pub(super) gauges: Vec<Gauge>,
    pub(super) reports: Reporter,
    /// Told of each step that a watch makes.
    progress: watch::Sender<()>,
    /// Whether subscribers have been told that all was told.
    synced: AtomicBool,
    executor: Mutex<Executor>,
    /// Whether the informer is to end, or has.
    stopped: watch::Sender<bool>,
}

/// How the watches stand that have told what there is, or cannot.
pub(super) type Outcome = Result<(), Arc<WatchError>>;

impl<T: CacheObject> Shared<T> {
    pub(super) fn new(cache: Cache<T>, gauges: Vec<Gauge>, reports: Reporter) -> Self {
        let shared = Self {
            cache,
            gauges,
            reports,
            progress: watch::Sender::new(()),
            synced: AtomicBool::new(false),
            executor: Mutex::new(Executor::Stopped),
            stopped: watch::Sender::new(false),
        };
        shared.progressed();
        shared
    }

    /// Something changed that somebody may wait for.
    pub(super) fn progressed(&self) {
        if !self.synced.load(Ordering::Relaxed) && self.is_synced() {
            self.synced.store(true, Ordering::Relaxed);
            self.cache.synced();
        }
        self.progress.send_replace(());
    }

    /// Whether all has been told that can be.
    fn is_synced(&self) -> bool {
        let outcomes = self.outcomes();
        outcomes.is_some_and(|outcomes| outcomes.is_empty() || outcomes.iter().any(Result::is_ok))
    }

    pub(super) fn executor(&self) -> Executor {
        match self.is_stopped() {
            true => Executor::Stopped,
            false => *self.executor.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    pub(super) fn runs(&self, on: Executor) {
        *self.executor.lock().unwrap_or_else(PoisonError::into_inner) = on;
    }

    /// How all watches stand; `None` as long as one may still tell what there is.
    pub(super) fn outcomes(&self) -> Option<Vec<Outcome>> {
        self.gauges.iter().map(Gauge::outcome).collect()
    }

    /// Waits until something is so that depends on the steps of the watches.
    pub(super) async fn until(&self, is_so: impl Fn() -> bool) {
        let mut progress = self.progress();
        while !is_so() {
            // It cannot be closed: the sender lives as long as this does.
            let _ = progress.changed().await;
        }
    }

    pub(super) fn progress(&self) -> watch::Receiver<()> {
        self.progress.subscribe()
    }

    pub(super) fn stop(&self) {
        self.stopped.send_replace(true);
        self.cache.close();
        self.progress.send_replace(());
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Waits until the informer is stopped.
    pub(super) async fn stopped(&self) {
        // The sender lives as long as this does.
        let _ = self.stopped.subscribe().wait_for(|stopped| *stopped).await;
    }
}
