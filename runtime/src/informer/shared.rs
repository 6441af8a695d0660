//! State shared by the watches and the handles of an informer.

use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use tokio::{sync::watch, time::Instant};

use super::{
    cache::Cache,
    error::WatchError,
    health::{Executor, Gauge},
    places::FactoryNamespaces,
    reporter::Reporter,
};

pub(super) struct InformerState {
    pub(super) cache: Cache,
    /// One for each watch.
    gauges: RwLock<Gauges>,
    /// The namespaces of the factory, if these are watched.
    pub(super) followed: Option<Arc<FactoryNamespaces>>,
    pub(super) reporter: Reporter,
    /// Notified of each step of a watch.
    progress: watch::Sender<()>,
    /// Whether [`Event::Synced`](super::Event::Synced) has been sent.
    synced: AtomicBool,
    executor: Mutex<Executor>,
    /// Whether the informer is stopped.
    stopped: watch::Sender<bool>,
    /// The store is required to contain all changes up to this time.
    required: Mutex<Option<Instant>>,
}

/// The gauges of all watches, at one time.
pub(super) type Gauges = Arc<[Arc<Gauge>]>;

/// Whether a watch has completed its initial list, or the error that prevents it.
pub(super) type Outcome = Result<(), Arc<WatchError>>;

impl InformerState {
    pub(super) fn new(cache: Cache, gauges: Vec<Gauge>, reporter: Reporter) -> Self {
        let shared = Self {
            cache,
            gauges: RwLock::new(gauges.into_iter().map(Arc::new).collect()),
            followed: None,
            reporter,
            progress: watch::Sender::new(()),
            synced: AtomicBool::new(false),
            executor: Mutex::new(Executor::Stopped),
            stopped: watch::Sender::new(false),
            required: Mutex::new(None),
        };
        shared.notify_waiters();
        shared
    }

    /// Watches the namespaces of a factory.
    pub(super) fn following(mut self, followed: &Arc<FactoryNamespaces>) -> Self {
        self.followed = Some(followed.clone());
        self
    }

    pub(super) fn gauges(&self) -> Gauges {
        self.gauges.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_gauges(&self, gauges: Gauges) {
        *self.gauges.write().unwrap_or_else(PoisonError::into_inner) = gauges;
    }

    /// Wakes all waiters after a step of a watch.
    pub(super) fn notify_waiters(&self) {
        if !self.synced.load(Ordering::Relaxed) && self.is_synced() {
            self.synced.store(true, Ordering::Relaxed);
            self.cache.set_synced();
        }
        self.progress.send_replace(());
    }

    /// Whether every watch is listed or refused, and at least one is listed.
    pub(super) fn is_synced(&self) -> bool {
        let outcomes = self.outcomes();
        outcomes.is_some_and(|outcomes| outcomes.is_empty() || outcomes.iter().any(Result::is_ok))
    }

    pub(super) fn executor(&self) -> Executor {
        if self.is_stopped() {
            Executor::Stopped
        } else {
            *self.executor.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    pub(super) fn set_executor(&self, on: Executor) {
        *self.executor.lock().unwrap_or_else(PoisonError::into_inner) = on;
    }

    /// Returns the outcomes of all watches; `None` while a watch is neither listed nor refused.
    pub(super) fn outcomes(&self) -> Option<Vec<Outcome>> {
        self.gauges().iter().map(|gauge| gauge.outcome()).collect()
    }

    /// Waits until a condition on the state of the watches holds.
    pub(super) async fn wait_until(&self, is_so: impl Fn() -> bool) {
        let mut progress = self.progress();
        while !is_so() {
            // The channel cannot close: the sender lives as long as `self`.
            let _ = progress.changed().await;
        }
    }

    pub(super) fn progress(&self) -> watch::Receiver<()> {
        self.progress.subscribe()
    }

    /// Requires the store to contain all changes up to a time. The watches see to it.
    pub(super) fn require(&self, since: Instant) {
        let mut required = self.required.lock().unwrap_or_else(PoisonError::into_inner);
        *required = (*required).max(Some(since));
        drop(required);
        self.progress.send_replace(());
    }

    /// Whether the store may lack changes up to the time that is required, of a watch.
    pub(super) fn is_behind(&self, gauge: &Gauge) -> bool {
        let required = *self.required.lock().unwrap_or_else(PoisonError::into_inner);
        required.is_some_and(|since| !gauge.is_fresh(since))
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
        // The sender lives as long as `self`.
        let _ = self.stopped.subscribe().wait_for(|stopped| *stopped).await;
    }
}
