use std::time::Duration;

use crate::metrics::durations::{DurationStats, Durations};

/// The metrics of a work queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// The number of keys that can be claimed now.
    pub depth: usize,
    /// The number of delayed keys, including those that wait for the [limit](super::Backoff#the-limit-over-all-keys) of retries.
    pub delayed: usize,
    /// The number of keys that are claimed now.
    pub claimed: usize,
    /// The age of the key that has been queued longest, including keys that were added while they are claimed.
    pub oldest_waiting: Duration,
    /// The age of the oldest claim. If it keeps growing, a reconciliation hangs.
    pub oldest_claimed: Duration,
    /// The number of times a key was added, including keys that were already queued.
    pub adds: u64,
    /// The number of times a key was added with back-off.
    pub retries: u64,
    /// The durations for which keys were queued before they were claimed.
    pub waits: DurationStats,
    /// The durations for which keys were claimed.
    pub work: DurationStats,
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) adds: u64,
    /// The number of times a key was added that was not queued.
    pub(super) queued: u64,
    /// The number of times a key was added with a delay.
    pub(super) delays: u64,
    pub(super) retries: u64,
    pub(super) waits: Durations,
    pub(super) work: Durations,
}

/// What client-go exposes of a work queue. Reading it takes a time that does not depend on the number of keys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueSample {
    /// The number of keys that can be claimed: those of objects that changed, and those that were listed.
    pub(crate) depth: [usize; 2],
    pub(crate) queued: u64,
    pub(crate) delays: u64,
    pub(crate) waits: Durations,
    pub(crate) work: Durations,
    pub(crate) claimed: usize,
    /// The sum of the ages of all claims.
    pub(crate) unfinished: Duration,
    /// The age of the oldest claim.
    pub(crate) longest: Duration,
}
