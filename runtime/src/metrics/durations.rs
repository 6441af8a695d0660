//! Statistics of durations, for metrics.

use std::time::Duration;

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

    pub(crate) fn count(&mut self, duration: Duration) {
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
    pub(crate) fn count(&mut self, duration: Duration) {
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
