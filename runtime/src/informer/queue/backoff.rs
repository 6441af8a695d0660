use std::time::Duration;

use super::{rate_limit::Rate, retries::Limit};
use crate::client::backoff_formula::{exponential, jittered};

/// The delay before a key is retried.
///
/// The delay doubles with each failure of the key, up to a maximum. It has random jitter, so that keys that failed
/// together are not retried together.
///
/// # The limit over all keys
///
/// After its delay, a retry waits until the limit over all keys admits it: [10 a second, after a burst of
/// 100](Self::overall). This bounds the load when very many keys fail, for example during an outage of a dependency.
///
/// - **No key waits for the limit longer than the longest delay**, or longer than a minute if the longest delay is shorter.
///   If the rate is too low for the number of keys that wait, it is higher: while 100,000 objects fail, with the default
///   delays, up to 670 a second.
/// - **Each retry that succeeds admits two others at once**, so that the keys that wait follow within seconds when the
///   dependency is back. If fewer than half of the retries succeed, the rate falls again.
/// - Half of the admitted keys are those that have waited longest. The others are those with the fewest failures, of each
///   namespace in turn, so that the first failure of an object does not wait for thousands that fail again and again.
/// - A key that succeeds, is [forgotten](super::Queue::forget) or is claimed because of a change leaves its place to the others.
///
/// The rate, the burst and the doubling are those of client-go's `DefaultTypedControllerRateLimiter`. That reserves a time for each
/// failure in advance, and does not give it back: after an outage of a minute, 5,000 keys need more than 8 minutes there.
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

/// The longest wait for the limit over all keys is not shorter, because the limit would have no effect.
const SHORTEST_LIMIT: Duration = Duration::from_secs(60);

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

    pub(super) fn limit(&self) -> Option<Limit> {
        self.overall.map(|rate| Limit { rate, longest_wait: self.longest.max(SHORTEST_LIMIT) })
    }

    /// Returns the longest time that a key waits after a failure: for its delay, and for the limit over all keys.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.longest.saturating_add(self.limit().map_or(Duration::ZERO, |limit| limit.longest_wait))
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
