//! An informer that runs, without the type of its objects.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::{
    SyncError, WaitError,
    error::{Problem, Problems},
    handle::RefusedWatch,
    health::{Gauge, Health},
    selection_filter::SelectionFilter,
    shared::{InformerState, Outcome},
    stored_object::Stored,
    threads::Threads,
};

/// Stops the watches when it is dropped.
pub(super) struct Running {
    pub(super) shared: Arc<InformerState>,
    /// The threads that run the watches; `None` on the runtime of the caller.
    _threads: Option<Arc<Threads>>,
    filter: Option<SelectionFilter>,
}

impl Running {
    pub(super) fn new(shared: Arc<InformerState>, threads: Option<Arc<Threads>>) -> Self {
        Self { shared, _threads: threads, filter: None }
    }

    pub(super) fn with_filter(mut self, filter: SelectionFilter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Waits until the initial list is complete, for [`Informer::synced`](super::Informer::synced).
    pub(super) fn synced(&self) -> BoxFuture<'_, Result<(), SyncError>> {
        Box::pin(self.wait_until_synced())
    }

    async fn wait_until_synced(&self) -> Result<(), SyncError> {
        let shared = &self.shared;
        let mut progress = shared.progress();
        loop {
            if let Some(outcomes) = shared.outcomes() {
                return self.sync_result(outcomes);
            }
            if shared.is_stopped() {
                return Err(SyncError::Stopped);
            }
            // The channel cannot close: the sender lives as long as this handle.
            let _ = progress.changed().await;
        }
    }

    /// Waits until the store contains a written object, for [`Informer::wait_for`](super::Informer::wait_for).
    pub(super) fn wait_for<'a>(&'a self, written: &'a Stored) -> BoxFuture<'a, Result<(), WaitError>> {
        Box::pin(self.wait_for_version(written))
    }

    async fn wait_for_version(&self, written: &Stored) -> Result<(), WaitError> {
        let shared = &self.shared;
        let version = written.resource_version().ok_or(WaitError::NoVersion)?;
        let (namespace, name) = (written.namespace(), written.name());
        let gauge = self.gauge_of(namespace).ok_or(WaitError::NotWatched)?;
        shared.wait_until(|| shared.is_stopped() || self.contains_version(namespace, name, version, &gauge)).await;
        if self.contains_version(namespace, name, version, &gauge) { Ok(()) } else { Err(WaitError::Stopped) }
    }

    /// Whether the store contains a written state of an object, or a newer one, or never will.
    pub(super) fn has_seen(&self, namespace: Option<&str>, name: &str, version: &str) -> bool {
        let Some(gauge) = self.gauge_of(namespace) else {
            return true;
        };
        self.shared.is_stopped() || self.contains_version(namespace, name, version, &gauge)
    }

    /// Whether the store keeps an object in the state of a response, or may keep it.
    pub(super) fn may_keep(&self, body: &[u8]) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.may_keep(body))
    }

    /// Whether the store contains all objects of the shards of a version, or of a later one. Of several namespaces, those whose
    /// watch fails do not count while one has them: their keys are not reconciled before they are listed.
    pub(super) fn has_shards(&self, version: u64) -> bool {
        let gauges = self.shared.gauges();
        let has_any = || gauges.iter().any(|gauge| gauge.shards() >= version);
        let has_all = || gauges.iter().all(|gauge| gauge.shards() >= version || gauge.is_failing());
        self.shared.is_stopped() || gauges.is_empty() || (has_any() && has_all())
    }

    /// Waits until the store contains all changes that the API server had stored at a time, except those of watches that it
    /// refuses.
    ///
    /// It costs two short requests for each watch, unless a list or a check has been sent since.
    async fn wait_until_caught_up(&self, since: Instant) {
        let shared = &self.shared;
        shared.require(since);
        let is_done = |gauge: &Arc<Gauge>| gauge.is_fresh(since) || gauge.is_refused();
        shared.wait_until(|| shared.is_stopped() || shared.gauges().iter().all(is_done)).await;
    }

    pub(super) fn catch_up(&self, since: Instant) -> BoxFuture<'_, ()> {
        Box::pin(self.wait_until_caught_up(since))
    }

    pub(super) fn health(&self) -> Health {
        let shared = &self.shared;
        Health {
            watches: shared.gauges().iter().map(|gauge| gauge.read()).collect(),
            executor: shared.executor(),
            objects: shared.cache.store.len(),
            undecodable_states: shared.reporter.undecodable_states(),
            undecodable_objects: shared.cache.undecodable_count(),
            panics: shared.reporter.panics(),
        }
    }

    pub(super) fn problems(&self) -> Problems {
        let shared = &self.shared;
        let problems = shared.reporter.subscribe();
        let undecodable = shared.cache.undecodable_objects().into_iter().map(|object| object.problem);
        let panics = shared.cache.panics();
        let gauges = shared.gauges();
        let failed = gauges.iter().filter_map(|gauge| {
            let (namespace, error) = (gauge.namespace(), gauge.last_error()?);
            Some(Problem::Watch { namespace, error })
        });
        problems.with_current(undecodable.chain(panics).chain(failed))
    }

    fn sync_result(&self, outcomes: Vec<Outcome>) -> Result<(), SyncError> {
        let refused: Vec<_> = outcomes
            .into_iter()
            .zip(&*self.shared.gauges())
            .filter_map(|(outcome, gauge)| {
                let namespace = gauge.namespace();
                Some(RefusedWatch { error: outcome.err()?, namespace })
            })
            .collect();
        if refused.is_empty() { Ok(()) } else { Err(SyncError::Refused(refused)) }
    }

    /// Returns the gauge of the watch that covers the objects of a namespace.
    fn gauge_of(&self, namespace: Option<&str>) -> Option<Arc<Gauge>> {
        let gauges = self.shared.gauges();
        let covers = |gauge: &&Arc<Gauge>| gauge.namespace().is_none_or(|watched| Some(&*watched) == namespace);
        gauges.iter().find(covers).cloned()
    }

    fn contains_version(&self, namespace: Option<&str>, name: &str, version: &str, gauge: &Gauge) -> bool {
        let object = self.shared.cache.store.find(namespace, name);
        let shown = object.as_ref().and_then(|object| object.resource_version());
        if shown == Some(version) {
            return true;
        }
        let Ok(version) = version.parse::<u64>() else {
            return false;
        };
        let shown = shown.and_then(|shown| shown.parse::<u64>().ok());
        shown.max(gauge.position()).is_some_and(|newest| newest >= version)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.stop();
    }
}
