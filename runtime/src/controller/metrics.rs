use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of a controller, since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ControllerMetrics {
    /// Successful reconciliations.
    pub successes: u64,
    /// Failed reconciliations that are retried, without panics.
    pub failures: u64,
    /// [Terminal](super::terminal) failures.
    pub terminal_failures: u64,
    /// Reconciliations that panicked.
    pub panics: u64,
    /// Reconciliations that exceeded their [time limit](super::ControllerBuilder::timeout). They are failures too.
    pub timeouts: u64,
    /// Reconciliations that were postponed because the cache did not contain the controller's own writes yet.
    pub postponed: u64,
    /// Reconciliations that started although the cache did not contain the controller's own writes within the
    /// [limit](super::ControllerBuilder::own_writes_timeout).
    pub stale: u64,
    /// Objects that disappeared although this controller had not finished [cleaning
    /// up](super::ControllerBuilder::finalizer): somebody else removed the finalizer.
    pub forced_deletions: u64,
    /// [Events](super::Context::event) that were not sent: there were too many, or the API server rejected them.
    pub dropped_events: u64,
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) successes: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) terminal_failures: AtomicU64,
    pub(super) panics: AtomicU64,
    pub(super) timeouts: AtomicU64,
    pub(super) postponed: AtomicU64,
    pub(super) stale: AtomicU64,
    pub(super) forced_deletions: AtomicU64,
    pub(super) dropped_events: AtomicU64,
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn read(&self) -> ControllerMetrics {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ControllerMetrics {
            successes: of(&self.successes),
            failures: of(&self.failures),
            terminal_failures: of(&self.terminal_failures),
            panics: of(&self.panics),
            timeouts: of(&self.timeouts),
            postponed: of(&self.postponed),
            stale: of(&self.stale),
            forced_deletions: of(&self.forced_deletions),
            dropped_events: of(&self.dropped_events),
        }
    }
}
