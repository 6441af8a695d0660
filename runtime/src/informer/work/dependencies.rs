//! The informers that a [`Work`](super::Work) depends on.

use std::{sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, join_all, select_all};
use tokio::time::timeout;

use super::error::{RunError, UnsyncedWatch, join};
use crate::{
    client::error::OneLine,
    informer::{CacheObject, handle::Running},
};

/// An informer of any type.
pub(super) trait Dependency: Send + Sync {
    /// Returns the watches whose initial list is not complete.
    fn unsynced(&self) -> Vec<UnsyncedWatch>;
    /// Waits until all initial lists are complete.
    fn synced(&self) -> BoxFuture<'_, ()>;
    /// Waits until each initial list is complete or refused.
    fn synced_or_refused(&self) -> BoxFuture<'_, ()>;
    /// Waits until the informer is stopped.
    fn stopped(&self) -> BoxFuture<'_, RunError>;
}

impl<T: CacheObject> Dependency for Running<T> {
    fn unsynced(&self) -> Vec<UnsyncedWatch> {
        let shared = &self.shared;
        let unsynced = shared.gauges.iter().filter(|gauge| !gauge.is_synced());
        unsynced
            .map(|gauge| UnsyncedWatch {
                resource: shared.reporter.resource(),
                namespace: gauge.namespace(),
                error: gauge.last_error(),
            })
            .collect()
    }

    fn synced(&self) -> BoxFuture<'_, ()> {
        let all_synced = || self.shared.gauges.iter().all(|gauge| gauge.is_synced());
        self.shared.wait_until(all_synced).boxed()
    }

    fn synced_or_refused(&self) -> BoxFuture<'_, ()> {
        let all_finished = || self.shared.outcomes().is_some();
        self.shared.wait_until(all_finished).boxed()
    }

    fn stopped(&self) -> BoxFuture<'_, RunError> {
        let stopped = async {
            self.shared.stopped().await;
            RunError::Stopped {
                resource: self.shared.reporter.resource(),
                error: self.shared.gauges.iter().find_map(|gauge| gauge.last_error()),
                undrained: None,
            }
        };
        stopped.boxed()
    }
}

/// The informers that must be synced before reconciling, and those of them that are optional.
#[derive(Default)]
pub(super) struct Dependencies {
    all: Vec<Arc<dyn Dependency>>,
    optional: Vec<Arc<dyn Dependency>>,
}

impl Dependencies {
    pub(super) fn add(&mut self, informer: Arc<dyn Dependency>) {
        if !contains(&self.all, &informer) {
            self.all.push(informer);
        }
    }

    pub(super) fn start_without(&mut self, informer: Arc<dyn Dependency>) {
        self.optional.push(informer);
    }

    /// Waits for the required initial lists.
    pub(super) async fn synced(&self, limit: Duration) -> Result<(), RunError> {
        let waits = self.all.iter().map(|informer| match self.is_optional(informer) {
            true => informer.synced_or_refused(),
            false => informer.synced(),
        });
        let _ = timeout(limit, join_all(waits)).await;
        let (optional, required) = self.unsynced();
        if !required.is_empty() {
            return Err(RunError::NotSynced { watches: required, after: limit });
        }
        if !optional.is_empty() {
            let watches = join(&optional);
            tracing::warn!("reconciling starts without all objects: {}", OneLine(watches));
        }
        Ok(())
    }

    /// Waits until one of the informers is stopped.
    pub(super) async fn stopped(&self) -> RunError {
        let stopped = self.all.iter().map(|informer| informer.stopped());
        let (error, ..) = select_all(stopped).await;
        error
    }

    fn unsynced(&self) -> (Vec<UnsyncedWatch>, Vec<UnsyncedWatch>) {
        let (mut optional, mut required) = (Vec::new(), Vec::new());
        for informer in &self.all {
            match self.is_optional(informer) {
                true => optional.extend(informer.unsynced()),
                false => required.extend(informer.unsynced()),
            }
        }
        (optional, required)
    }

    fn is_optional(&self, informer: &Arc<dyn Dependency>) -> bool {
        contains(&self.optional, informer)
    }
}

fn contains(informers: &[Arc<dyn Dependency>], informer: &Arc<dyn Dependency>) -> bool {
    let address = |informer: &Arc<dyn Dependency>| Arc::as_ptr(informer).cast::<()>();
    let mut informers = informers.iter();
    informers.any(|other| address(other) == address(informer))
}
