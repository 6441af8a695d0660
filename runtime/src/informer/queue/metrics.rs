use std::time::Duration;

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

/// The number of finite buckets of a histogram: from 10 ns to 1,000 s, as those of client-go's work queues.
#[cfg(feature = "controller")]
pub(crate) const BUCKETS: usize = 12;

/// Durations, also in buckets whose bounds are powers of ten. The last bucket has no bound.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Durations {
    pub(crate) stats: DurationStats,
    #[cfg(feature = "controller")]
    pub(crate) buckets: [u64; BUCKETS + 1],
}

impl Durations {
    pub(super) fn count(&mut self, duration: Duration) {
        self.stats.count(duration);
        #[cfg(feature = "controller")]
        {
            self.buckets[bucket_of(duration)] += 1;
        }
    }
}

/// Returns the bucket of a duration: the upper bound of bucket `i` is 10^(i+1) ns, and belongs to it.
#[cfg(feature = "controller")]
fn bucket_of(duration: Duration) -> usize {
    let log = duration.as_nanos().saturating_sub(1).checked_ilog10().unwrap_or_default();
    (log as usize).min(BUCKETS)
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
#[cfg(feature = "controller")]
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

#[cfg(all(test, feature = "controller"))]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_in_buckets() {
        let nanos = [0, 1, 10, 11, 100, 1_000_000_000, 1_000_000_001, 1_000_000_000_000, 1_000_000_000_001];
        let buckets = nanos.map(|nanos| bucket_of(Duration::from_nanos(nanos)));
        assert_eq!(buckets, [0, 0, 0, 1, 1, 8, 9, 11, 12]);
        assert_eq!(bucket_of(Duration::MAX), 12);
    }
}
