use std::time::Duration;

use super::bucket::Rate;
use crate::client::retry;

/// How long to wait before a key has another try: twice as long after each failure, up to a bound, and a part of it left
/// to chance so that those who failed together do not come again together.
///
/// Beside that there is a limit over all keys of a queue, so that very many that fail, such as while something is down that
/// all need, do not become very many tries a second: [10 tries again a second, and 100 at once](Self::overall). The
/// longer one of both waits counts. Both are those of client-go's `DefaultTypedControllerRateLimiter`, but for the times of a key.
///
/// ```
/// use std::time::Duration;
///
/// use crdkit::informer::{Backoff, ObjectKey, Queue};
///
/// let patient = Backoff::new(Duration::from_secs(5), Duration::from_secs(3600)).overall(2, 20);
/// let queue = Queue::<ObjectKey>::new().with_backoff(patient);
/// ```
#[doc(alias("RateLimiter", "ItemExponentialFailureRateLimiter"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    overall: Option<Rate>,
}

impl Backoff {
    /// From a first delay up to the longest one. Each is shortened by chance, by up to a half. Over all keys there are 10
    /// tries again a second, and 100 at once.
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            overall: Some(Rate::new(10, 100)),
        }
    }

    /// How many tries again there may be, whichever keys they are of: so many a second, and so many at once after a time
    /// without any. A 0 counts as 1.
    #[must_use]
    pub const fn overall(self, per_second: u32, burst: u32) -> Self {
        Self {
            overall: Some(Rate::new(per_second, burst)),
            ..self
        }
    }

    /// No limit over all keys: each waits by itself.
    #[must_use]
    pub const fn without_overall(self) -> Self {
        Self {
            overall: None,
            ..self
        }
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        self.overall
    }

    /// How long a key waits by itself after so many tries again.
    pub(super) fn delay(&self, retries: u32, random: f64) -> Duration {
        retry::jittered(retry::backoff(self.first, self.longest, retries), random)
    }
}

/// From 100 ms up to 5 minutes; over all keys 10 tries again a second, and 100 at once.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(300))
    }
}
