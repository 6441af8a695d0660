use std::time::Duration;

/// The metrics of a work queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// The number of keys that can be claimed now.
    pub depth: usize,
    /// The number of delayed keys.
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

/// Statistics of durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DurationStats {
    /// The number of durations.
    pub count: u64,
    /// The sum.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl DurationStats {
    /// Returns the mean; zero without durations.
    pub fn mean(&self) -> Duration {
        match self.count {
            0 => Duration::ZERO,
            count => self.total.div_f64(count as f64),
        }
    }

    pub(super) fn count(&mut self, duration: Duration) {
        self.count += 1;
        self.total = self.total.saturating_add(duration);
        self.longest = self.longest.max(duration);
    }
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) adds: u64,
    pub(super) retries: u64,
    pub(super) waits: DurationStats,
    pub(super) work: DurationStats,
}
