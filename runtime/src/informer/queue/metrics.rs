use std::time::Duration;

/// What a work queue has done and has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// How many keys wait that could be claimed now.
    pub depth: usize,
    /// How many keys will wait after a delay.
    pub delayed: usize,
    /// How many keys are claimed now.
    pub claimed: usize,
    /// For how long the key has waited that has waited longest; one that was added while it is claimed waits too.
    pub oldest_waiting: Duration,
    /// For how long the key has been claimed that has been claimed longest. If it grows and grows, something hangs.
    pub oldest_claimed: Duration,
    /// How often a key was added, one that waited already included.
    pub adds: u64,
    /// How often a key was added with back-off.
    pub retries: u64,
    /// How long keys waited before they were claimed, each time.
    pub waits: DurationStats,
    /// How long keys were claimed, each time that is over.
    pub work: DurationStats,
}

/// How long something took that was done many times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DurationStats {
    /// How many times.
    pub count: u64,
    /// All of them together.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl DurationStats {
    /// How long it took on average; zero if it was never done.
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
