use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::Action;
use prometheus_client::metrics::histogram::Histogram;

mod families;
mod informers;
pub(crate) mod table;

/// The buckets of the durations of reconciliations in seconds, as in controller-runtime.
const BUCKETS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5,
    1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0,
];

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
    /// Objects that were reconciled again and again because of the controller's [own writes](super#loops).
    pub loops: u64,
    /// [Events](super::Context::event) that were not sent: there were too many, the API server rejected them, or did not
    /// accept them before the end.
    pub dropped_events: u64,
    /// Objects that an annotation [pauses](super::ControllerBuilder::pause_by) now.
    pub paused: u64,
}

pub(super) struct Counters {
    /// The durations of reconciliations in seconds.
    pub(super) durations: Histogram,
    pub(super) successes: AtomicU64,
    /// Successful reconciliations that requested another one immediately, and later.
    pub(super) requeues: AtomicU64,
    pub(super) delayed_requeues: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) terminal_failures: AtomicU64,
    pub(super) panics: AtomicU64,
    pub(super) timeouts: AtomicU64,
    pub(super) postponed: AtomicU64,
    pub(super) stale: AtomicU64,
    pub(super) forced_deletions: AtomicU64,
    pub(super) loops: AtomicU64,
    pub(super) dropped_events: AtomicU64,
    /// Events that wait to be sent.
    pub(super) queued_events: AtomicU64,
    /// Objects that are paused.
    pub(super) paused: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            durations: Histogram::new(BUCKETS),
            successes: AtomicU64::default(),
            requeues: AtomicU64::default(),
            delayed_requeues: AtomicU64::default(),
            failures: AtomicU64::default(),
            terminal_failures: AtomicU64::default(),
            panics: AtomicU64::default(),
            timeouts: AtomicU64::default(),
            postponed: AtomicU64::default(),
            stale: AtomicU64::default(),
            forced_deletions: AtomicU64::default(),
            loops: AtomicU64::default(),
            dropped_events: AtomicU64::default(),
            queued_events: AtomicU64::default(),
            paused: AtomicU64::default(),
        }
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn count_success(&self, action: Action) {
        count(&self.successes);
        match action {
            Action::Done => {}
            Action::Requeue(Duration::ZERO) => count(&self.requeues),
            Action::Requeue(_) => count(&self.delayed_requeues),
        }
    }

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
            loops: of(&self.loops),
            dropped_events: of(&self.dropped_events),
            paused: of(&self.paused),
        }
    }
}
