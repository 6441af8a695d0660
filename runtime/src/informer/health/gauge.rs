//! The health of one watch, updated while it runs.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use tokio::time::Instant;

use super::{WatchHealth, WatchState};
use crate::informer::error::WatchError;

/// The health of one watch, updated while it runs.
pub(in crate::informer) struct Gauge(Mutex<Reading>);

struct Reading {
    health: WatchHealth,
    heard: Option<Instant>,
    /// The store contains all changes up to this time.
    fresh: Option<Instant>,
    /// Checks with the newest resourceVersion at their time, which the watch has not reached yet.
    awaited: VecDeque<(Instant, u64)>,
    /// The last error that a retry cannot resolve.
    refused: Option<Arc<WatchError>>,
    /// The last error, until the watch resumes.
    failed: Option<Arc<WatchError>>,
}

impl Reading {
    fn reach(&mut self, version: &str) {
        if !version.is_empty() {
            let reached = self.health.resource_version.get_or_insert_default();
            reached.clear();
            reached.push_str(version);
            self.confirm();
        }
    }

    fn position(&self) -> Option<u64> {
        self.health.resource_version.as_deref()?.parse().ok()
    }

    /// Removes the checks whose resourceVersion the watch has reached.
    fn confirm(&mut self) {
        let Some(position) = self.position() else {
            return;
        };
        while let Some((at, _)) = self.awaited.pop_front_if(|(_, newest)| *newest <= position) {
            self.mark_fresh(at);
        }
    }

    /// Records that the store contains all changes up to this time.
    fn mark_fresh(&mut self, at: Instant) {
        self.fresh = self.fresh.max(Some(at));
    }
}

/// Maximum number of checks that are retained until the watch has reached them.
const AWAITED: usize = 16;

impl Gauge {
    pub(in crate::informer) fn new(namespace: Option<&str>) -> Self {
        let health = WatchHealth {
            namespace: namespace.map(Arc::from),
            state: WatchState::Starting,
            synced: false,
            last_heard: None,
            last_event: None,
            resource_version: None,
            staleness: None,
            lists: 0,
            expired: 0,
            desyncs: 0,
            fallbacks: 0,
            resumed: 0,
            failures: 0,
        };
        Self(Mutex::new(Reading {
            health,
            heard: None,
            fresh: None,
            awaited: VecDeque::new(),
            refused: None,
            failed: None,
        }))
    }

    pub(in crate::informer) fn namespace(&self) -> Option<Arc<str>> {
        self.lock().health.namespace.clone()
    }

    pub(in crate::informer) fn read(&self) -> WatchHealth {
        let reading = self.lock();
        let mut health = reading.health.clone();
        health.staleness = reading.fresh.map(|fresh| fresh.elapsed());
        health.last_heard = reading.heard.and_then(|heard| {
            let elapsed = heard.elapsed();
            SystemTime::now().checked_sub(elapsed)
        });
        health
    }

    /// Returns whether the initial list is complete or was refused; `None` while neither is known.
    pub(in crate::informer) fn outcome(&self) -> Option<Result<(), Arc<WatchError>>> {
        let reading = self.lock();
        match (&reading.refused, reading.health.synced) {
            (Some(refused), false) => Some(Err(refused.clone())),
            (_, true) => Some(Ok(())),
            (None, false) => None,
        }
    }

    pub(in crate::informer) fn is_synced(&self) -> bool {
        self.lock().health.synced
    }

    /// Returns the last error, until the watch resumes.
    pub(in crate::informer) fn failed(&self) -> Option<Arc<WatchError>> {
        self.lock().failed.clone()
    }

    /// Returns the resourceVersion that the watch has reached, if it is a number.
    pub(in crate::informer) fn position(&self) -> Option<u64> {
        self.lock().position()
    }

    pub(in crate::informer) fn listing(&self) {
        let mut reading = self.lock();
        reading.health.state = WatchState::Listing;
        reading.health.lists += 1;
    }

    /// Records that the API server accepted the request, which it may have refused before.
    pub(in crate::informer) fn answered(&self) {
        self.lock().refused = None;
    }

    pub(in crate::informer) fn connected(&self, resumes: bool) {
        let mut reading = self.lock();
        reading.health.resumed += u64::from(resumes);
        let since = SystemTime::now();
        reading.health.state = WatchState::Watching { since };
        reading.failed = None;
    }

    /// Records events, or that nothing happened up to a resourceVersion.
    pub(in crate::informer) fn told(&self, events: bool, version: &str) {
        let mut reading = self.lock();
        if events {
            reading.health.last_event = Some(SystemTime::now());
        }
        if events || !version.is_empty() {
            reading.heard = Some(Instant::now());
        }
        reading.reach(version);
    }

    /// Records that the list requested at this time is complete.
    pub(in crate::informer) fn synced(&self, version: &str, requested: Instant) {
        let mut reading = self.lock();
        reading.awaited.clear();
        reading.reach(version);
        reading.mark_fresh(requested);
        reading.heard = Some(Instant::now());
        reading.health.synced = true;
        reading.failed = None;
    }

    /// Records the newest resourceVersion that a request sent at this time returned.
    pub(in crate::informer) fn checked(&self, sent: Instant, version: &str) {
        let mut reading = self.lock();
        if reading.health.resource_version.as_deref() == Some(version) {
            return reading.mark_fresh(sent);
        }
        let Ok(newest) = version.parse() else {
            return;
        };
        // A newer pending version was wrong, or the history was rolled back since.
        while reading
            .awaited
            .pop_back_if(|(_, other)| *other > newest)
            .is_some()
        {}
        if reading.awaited.len() < AWAITED {
            reading.awaited.push_back((sent, newest));
        }
        reading.confirm();
    }

    pub(in crate::informer) fn falls_back(&self) {
        self.lock().health.fallbacks += 1;
    }

    pub(in crate::informer) fn ended(&self, error: Option<Arc<WatchError>>) {
        let mut reading = self.lock();
        match error.as_deref() {
            None => {}
            Some(WatchError::OutOfOrder { .. }) => reading.health.desyncs += 1,
            Some(error) if error.is_of_another_time() => reading.health.desyncs += 1,
            Some(WatchError::NoStreamingLists) => {}
            Some(WatchError::Request(error)) if error.is_expired() => reading.health.expired += 1,
            Some(_) => reading.health.failures += 1,
        }
        if let Some(error) = error.as_ref().filter(|error| error.is_refusal()) {
            reading.refused = Some(error.clone());
        }
        let is_failure =
            |error: &&Arc<WatchError>| !matches!(***error, WatchError::NoStreamingLists);
        if let Some(error) = error.as_ref().filter(is_failure) {
            reading.failed = Some(error.clone());
        }
        let since = match reading.health.state {
            WatchState::Disconnected { since, .. } => since,
            _ => SystemTime::now(),
        };
        reading.health.state = WatchState::Disconnected { since, error };
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
