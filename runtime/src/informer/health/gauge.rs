//! The health of one watch, updated while it runs.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use tokio::time::Instant;

use super::{WatchHealth, WatchState};
use crate::informer::{error::WatchError, reflector::RelistReason};

/// The health of one watch, updated while it runs.
pub(in crate::informer) struct Gauge {
    /// The number of the change that selected the namespace, if the informer follows such changes.
    number: Option<u64>,
    state: Mutex<GaugeState>,
}

struct GaugeState {
    health: WatchHealth,
    last_received: Option<Instant>,
    /// The store contains all changes up to this time.
    fresh_as_of: Option<Instant>,
    /// Checks with the newest resourceVersion at their time, which the watch has not reached yet.
    pending_checks: VecDeque<(Instant, u64)>,
    /// The last error that a retry cannot resolve.
    refusal: Option<Arc<WatchError>>,
    /// The version of the shards whose objects the store contains.
    shards: u64,
    /// Whether there is nothing to watch.
    is_idle: bool,
}

impl GaugeState {
    fn advance_to(&mut self, version: &str) {
        if !version.is_empty() {
            let reached = self.health.resource_version.get_or_insert_default();
            reached.clear();
            reached.push_str(version);
            self.confirm_checks();
        }
    }

    fn position(&self) -> Option<u64> {
        self.health.resource_version.as_deref()?.parse().ok()
    }

    /// Removes the checks whose resourceVersion the watch has reached.
    fn confirm_checks(&mut self) {
        let Some(position) = self.position() else {
            return;
        };
        while let Some(&(at, newest)) = self.pending_checks.front()
            && newest <= position
        {
            self.pending_checks.pop_front();
            self.mark_fresh(at);
        }
    }

    /// Records that the store contains all changes up to this time.
    fn mark_fresh(&mut self, at: Instant) {
        self.fresh_as_of = self.fresh_as_of.max(Some(at));
    }
}

/// Maximum number of checks that are retained until the watch has reached them.
const MAX_PENDING_CHECKS: usize = 16;

impl Gauge {
    pub(in crate::informer) fn new(namespace: Option<&str>) -> Self {
        let health = WatchHealth {
            namespace: namespace.map(Arc::from),
            state: WatchState::Starting,
            synced: false,
            last_received: None,
            last_event: None,
            resource_version: None,
            staleness: None,
            lists: 0,
            expired: 0,
            desyncs: 0,
            unresumable: 0,
            fallbacks: 0,
            resumed: 0,
            failures: 0,
            last_error: None,
            is_added: false,
            started: Instant::now(),
        };
        let state = GaugeState {
            health,
            last_received: None,
            fresh_as_of: None,
            pending_checks: VecDeque::new(),
            refusal: None,
            shards: 0,
            is_idle: false,
        };
        Self { number: None, state: Mutex::new(state) }
    }

    /// Returns a gauge for a namespace that was selected by a change.
    pub(in crate::informer) fn numbered(namespace: &str, number: u64) -> Self {
        Self { number: Some(number), ..Self::new(Some(namespace)) }
    }

    /// Records that the informer ran before.
    pub(in crate::informer) fn added(self) -> Self {
        self.lock().health.is_added = true;
        self
    }

    pub(in crate::informer) fn number(&self) -> Option<u64> {
        self.number
    }

    pub(in crate::informer) fn namespace(&self) -> Option<Arc<str>> {
        self.lock().health.namespace.clone()
    }

    pub(in crate::informer) fn read(&self) -> WatchHealth {
        let state = self.lock();
        let mut health = state.health.clone();
        health.staleness = if state.is_idle {
            Some(Duration::ZERO)
        } else {
            state.fresh_as_of.map(|fresh_as_of| fresh_as_of.elapsed())
        };
        health.last_received = state.last_received.and_then(|last_received| {
            let elapsed = last_received.elapsed();
            SystemTime::now().checked_sub(elapsed)
        });
        health
    }

    /// Returns whether the initial list is complete or was refused; `None` while neither is known.
    pub(in crate::informer) fn outcome(&self) -> Option<Result<(), Arc<WatchError>>> {
        let state = self.lock();
        match (&state.refusal, state.health.synced) {
            (Some(refusal), false) => Some(Err(refusal.clone())),
            (_, true) => Some(Ok(())),
            (None, false) => None,
        }
    }

    pub(in crate::informer) fn is_synced(&self) -> bool {
        self.lock().health.synced
    }

    /// Whether the last request failed, until the watch resumes.
    pub(in crate::informer) fn is_failing(&self) -> bool {
        self.lock().health.last_error.is_some()
    }

    /// Whether the store contains all changes up to a time.
    pub(in crate::informer) fn is_fresh(&self, since: Instant) -> bool {
        let state = self.lock();
        state.is_idle || state.fresh_as_of.is_some_and(|fresh_as_of| fresh_as_of >= since)
    }

    /// Whether the initial list is complete, and no other list runs.
    pub(in crate::informer) fn has_listed(&self) -> bool {
        let state = self.lock();
        state.health.synced && !matches!(state.health.state, WatchState::Starting | WatchState::Listing)
    }

    /// Whether the API server refuses the watch.
    pub(in crate::informer) fn is_refused(&self) -> bool {
        self.lock().health.last_error.as_ref().is_some_and(|error| error.is_refusal())
    }

    /// Returns the last error, until the watch resumes.
    pub(in crate::informer) fn last_error(&self) -> Option<Arc<WatchError>> {
        self.lock().health.last_error.clone()
    }

    /// Returns the resourceVersion that the watch has reached, if it is a number.
    pub(in crate::informer) fn position(&self) -> Option<u64> {
        self.lock().position()
    }

    pub(in crate::informer) fn begin_list(&self) {
        let mut state = self.lock();
        state.health.state = WatchState::Listing;
        state.health.lists += 1;
        state.is_idle = false;
    }

    /// Records that the API server accepted the request, which it may have refused before.
    pub(in crate::informer) fn clear_refusal(&self) {
        self.lock().refusal = None;
    }

    pub(in crate::informer) fn set_connected(&self, resumes: bool) {
        let mut state = self.lock();
        state.health.resumed += u64::from(resumes);
        let since = SystemTime::now();
        state.health.state = WatchState::Watching { since };
        state.health.last_error = None;
    }

    /// Records events, or that nothing happened up to a resourceVersion.
    pub(in crate::informer) fn record_events(&self, events: bool, version: &str) {
        let mut state = self.lock();
        if events {
            state.health.last_event = Some(SystemTime::now());
        }
        if events || !version.is_empty() {
            state.last_received = Some(Instant::now());
        }
        state.advance_to(version);
    }

    /// Records that the list requested at this time is complete.
    pub(in crate::informer) fn complete_list(&self, version: &str, requested: Instant) {
        let mut state = self.lock();
        state.pending_checks.clear();
        state.advance_to(version);
        state.mark_fresh(requested);
        state.last_received = Some(Instant::now());
        state.health.synced = true;
        state.health.last_error = None;
    }

    /// Records that the store contains the objects of the shards of this version.
    pub(in crate::informer) fn set_shards(&self, version: u64) {
        self.lock().shards = version;
    }

    /// Records that there are no objects, because no shard is held.
    pub(in crate::informer) fn set_without_shards(&self, version: u64) {
        let mut state = self.lock();
        (state.shards, state.health.synced, state.is_idle) = (version, true, true);
        (state.refusal, state.health.last_error) = (None, None);
        state.health.state = WatchState::Disconnected { since: SystemTime::now(), error: None };
    }

    pub(in crate::informer) fn shards(&self) -> u64 {
        self.lock().shards
    }

    /// Records the newest resourceVersion that a request sent at this time returned.
    pub(in crate::informer) fn record_check(&self, sent: Instant, version: &str) {
        let mut state = self.lock();
        if state.health.resource_version.as_deref() == Some(version) {
            return state.mark_fresh(sent);
        }
        let Ok(newest) = version.parse() else {
            return;
        };
        // A newer pending version was wrong, or the history was rolled back since.
        state.pending_checks.retain(|(_, other)| *other <= newest);
        if state.pending_checks.len() < MAX_PENDING_CHECKS {
            state.pending_checks.push_back((sent, newest));
        }
        state.confirm_checks();
    }

    pub(in crate::informer) fn count_fallback(&self) {
        self.lock().health.fallbacks += 1;
    }

    /// Records the end of a watch or of a list, with its error, and why a list follows.
    pub(in crate::informer) fn record_end(&self, error: Option<Arc<WatchError>>, relist: Option<RelistReason>) {
        let is_failure = |error: &WatchError| !matches!(error, WatchError::NoStreamingLists);
        let has_failed = error.as_deref().is_some_and(is_failure);
        let mut state = self.lock();
        let health = &mut state.health;
        match relist {
            Some(RelistReason::Expired) => health.expired += 1,
            Some(RelistReason::Desync) => health.desyncs += 1,
            Some(RelistReason::Unresumable) => {
                health.unresumable += 1;
                health.failures += u64::from(has_failed);
            }
            None => health.failures += u64::from(has_failed),
        }
        if let Some(error) = error.as_ref().filter(|error| error.is_refusal()) {
            state.refusal = Some(error.clone());
        }
        if let Some(error) = error.as_ref().filter(|error| is_failure(error)) {
            state.health.last_error = Some(error.clone());
        }
        let since = match state.health.state {
            WatchState::Disconnected { since, .. } => since,
            _ => SystemTime::now(),
        };
        state.health.state = WatchState::Disconnected { since, error };
    }

    fn lock(&self) -> MutexGuard<'_, GaugeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
