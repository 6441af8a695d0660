//! The informers that a [`Reconciler`](super::Reconciler) depends on.

use std::{sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, join_all, select_all};
use tokio::{sync::watch, time::timeout};

use super::error::{RunError, UnsyncedWatch, join};
use crate::informer::{OneLine, health::Gauge, running::Running};

/// What a reconciler needs of an informer.
impl Running {
    /// Returns the watches whose initial list is not complete.
    fn unsynced(&self) -> Vec<UnsyncedWatch> {
        let shared = &self.shared;
        let gauges = shared.gauges();
        let unsynced = gauges.iter().filter(|gauge| !gauge.is_synced());
        unsynced
            .map(|gauge| UnsyncedWatch {
                resource: shared.reporter.resource(),
                namespace: gauge.namespace(),
                error: gauge.last_error(),
            })
            .collect()
    }

    /// Whether at least one initial list is complete, or none is required.
    fn has_listed_some(&self) -> bool {
        let gauges = self.shared.gauges();
        gauges.is_empty() || gauges.iter().any(|gauge| gauge.is_synced())
    }

    /// Whether the initial list of a namespace is complete, with the objects of the newest shards, if it has its own watch among
    /// those of other namespaces.
    fn has_listed(&self, namespace: &str, newest_shards: u64) -> bool {
        let gauges = self.shared.gauges();
        let is_listed = |gauge: &Gauge| gauge.is_synced() && gauge.shards() >= newest_shards;
        let mut of_namespace = gauges.iter().filter(|gauge| gauge.namespace().as_deref() == Some(namespace));
        let Some(followed) = &self.shared.followed else {
            return gauges.len() < 2 || of_namespace.all(|gauge| is_listed(gauge));
        };
        // The informer may not have followed the last change yet. What is not watched is not reconciled either.
        let number = followed.number(namespace);
        number.is_none() || of_namespace.any(|gauge| gauge.number() == number && is_listed(gauge))
    }

    /// Returns the version of the newest shards whose objects were listed; `None` if all objects are.
    fn newest_shards(&self) -> Option<u64> {
        self.shared.gauges().iter().map(|gauge| gauge.shards()).filter(|shards| *shards < u64::MAX).max()
    }

    /// Receives each step of a watch.
    fn progress(&self) -> watch::Receiver<()> {
        self.shared.progress()
    }

    /// Waits until all initial lists are complete. Of several, one is sufficient if the others are refused.
    fn listed(&self) -> BoxFuture<'_, ()> {
        self.shared.wait_until(|| self.shared.is_synced()).boxed()
    }

    /// Waits until each initial list is complete or refused.
    fn synced_or_refused(&self) -> BoxFuture<'_, ()> {
        let all_finished = || self.shared.outcomes().is_some();
        self.shared.wait_until(all_finished).boxed()
    }

    /// Waits until the informer is stopped.
    fn ended(&self) -> BoxFuture<'_, RunError> {
        let stopped = async {
            self.shared.stopped().await;
            RunError::Stopped {
                resource: self.shared.reporter.resource(),
                error: self.shared.gauges().iter().find_map(|gauge| gauge.last_error()),
                drain_timed_out: None,
            }
        };
        stopped.boxed()
    }
}

/// The informers that must be synced before reconciling, and those of them that are optional.
#[derive(Default)]
pub(super) struct Dependencies {
    all: Vec<Arc<Running>>,
    optional: Vec<Arc<Running>>,
}

impl Dependencies {
    pub(super) fn add(&mut self, informer: Arc<Running>) {
        if !contains(&self.all, &informer) {
            self.all.push(informer);
        }
    }

    pub(super) fn start_without(&mut self, informer: Arc<Running>) {
        self.optional.push(informer);
    }

    /// Waits for the required initial lists.
    pub(super) async fn synced(&self, limit: Duration) -> Result<(), RunError> {
        let waits = self
            .all
            .iter()
            .map(|informer| if self.is_optional(informer) { informer.synced_or_refused() } else { informer.listed() });
        let _ = timeout(limit, join_all(waits)).await;
        let is_missing = |informer: &&Arc<Running>| !informer.has_listed_some() && !self.is_optional(informer);
        let missing: Vec<_> = self.all.iter().filter(is_missing).flat_map(|informer| informer.unsynced()).collect();
        if !missing.is_empty() {
            return Err(RunError::NotSynced { watches: missing, after: limit });
        }
        let unsynced: Vec<_> = self.all.iter().flat_map(|informer| informer.unsynced()).collect();
        if !unsynced.is_empty() {
            tracing::warn!("reconciling starts without all objects: {}", OneLine(join(&unsynced)));
        }
        Ok(())
    }

    /// Whether each informer that has a watch for each of several namespaces has listed this one. Optional ones may not have.
    pub(super) fn have_listed(&self, namespace: Option<&str>) -> bool {
        let Some(namespace) = namespace else {
            return true;
        };
        let newest = self.all.iter().filter_map(|informer| informer.newest_shards()).max().unwrap_or_default();
        let mut required = self.all.iter().filter(|informer| !self.is_optional(informer));
        required.all(|informer| informer.has_listed(namespace, newest))
    }

    /// Receives each step of a watch of each informer.
    pub(super) fn progress(&self) -> Vec<watch::Receiver<()>> {
        self.all.iter().map(|informer| informer.progress()).collect()
    }

    /// Waits until one of the informers is stopped.
    pub(super) async fn stopped(&self) -> RunError {
        let stopped = self.all.iter().map(|informer| informer.ended());
        let (error, ..) = select_all(stopped).await;
        error
    }

    fn is_optional(&self, informer: &Arc<Running>) -> bool {
        contains(&self.optional, informer)
    }
}

fn contains(informers: &[Arc<Running>], informer: &Arc<Running>) -> bool {
    informers.iter().any(|other| Arc::ptr_eq(other, informer))
}
