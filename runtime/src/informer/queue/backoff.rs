use std::time::Duration;

use crate::client::retry;

/// How long to wait before a key has another try: twice as long after each failure, up to a bound, and a part of it left
/// to chance so that those who failed together do not come again together.
///
/// ```
/// use std::time::Duration;
///
/// use crdkit::informer::{Backoff, ObjectKey, Queue};
///
/// let patient = Backoff::new(Duration::from_secs(5), Duration::from_secs(3600));
/// let queue = Queue::<ObjectKey>::new().with_backoff(patient);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// From a first delay up to the longest one. Each is shortened by chance, by up to a half.
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// How long to wait after so many tries again.
    pub(super) fn delay(&self, retries: u32, random: f64) -> Duration {
        retry::jittered(retry::backoff(self.first, self.longest, retries), random)
    }
}

/// From 100 ms up to 5 minutes.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(300))
    }
}
