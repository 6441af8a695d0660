use std::time::Duration;

use super::token_bucket::Rate;
use crate::backoff::{exponential, jittered};

/// The delay before a key is retried.
///
/// The delay doubles with each failure of the key, up to a maximum. It has random jitter, so that keys that failed
/// together are not retried together.
///
/// In addition, the retries of all keys of a queue are rate limited to [10 a second, after a burst of
/// 100](Self::overall). This bounds the load when very many keys fail, for example during an outage of a dependency.
/// The longer of the two delays applies.
///
/// Both limits are those of client-go's `DefaultTypedControllerRateLimiter`, except for the delays of a single key.
///
/// ```
/// use std::time::Duration;
///
/// use crdkit::informer::{Backoff, ObjectKey, Queue};
///
/// let backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(3600)).overall(2, 20);
/// let queue = Queue::<ObjectKey>::new().with_backoff(backoff);
/// ```
#[doc(alias("RateLimiter", "ItemExponentialFailureRateLimiter"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    overall: Option<Rate>,
}

impl Backoff {
    /// Creates a back-off from the first delay to the longest one.
    ///
    /// Each delay is shortened at random by up to one half. Over all keys, there are 10 retries a second, after a burst
    /// of 100.
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, overall: Some(Rate::new(10, 100)) }
    }

    /// Sets the rate limit of retries over all keys: a rate, and a burst after a time without retries. A 0 counts as 1.
    #[must_use]
    pub const fn overall(self, per_second: u32, burst: u32) -> Self {
        Self { overall: Some(Rate::new(per_second, burst)), ..self }
    }

    /// Removes the rate limit over all keys.
    #[must_use]
    pub const fn without_overall(self) -> Self {
        Self { overall: None, ..self }
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        self.overall
    }

    /// Returns the delay of a key after this number of retries.
    pub(super) fn delay(&self, retries: u32, random: f64) -> Duration {
        jittered(exponential(self.first, self.longest, retries), random)
    }
}

/// From 100 ms to 5 minutes; over all keys 10 retries a second, after a burst of 100.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(300))
    }
}
