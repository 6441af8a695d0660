//! A rate limit over all keys, without a clock: the caller passes the time.

use std::time::Duration;

/// The rate of retries over all keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    interval: Duration,
    burst: u32,
}

impl Rate {
    /// Creates a rate of retries a second, and a burst. A 0 counts as 1.
    pub(super) const fn new(per_second: u32, burst: u32) -> Self {
        let per_second = if per_second == 0 { 1 } else { per_second };
        Self {
            interval: Duration::from_nanos(1_000_000_000 / per_second as u64),
            burst: if burst == 0 { 1 } else { burst },
        }
    }
}

/// A token bucket whose capacity is the burst, and which is refilled at the rate.
#[derive(Default)]
pub(super) struct TokenBucket {
    /// When the bucket will be full again.
    full_at: Duration,
}

impl TokenBucket {
    /// Reserves a token, and returns how long it takes until the token is available.
    pub(super) fn reserve(&mut self, rate: Rate, now: Duration) -> Duration {
        self.full_at = self.full_at.max(now).saturating_add(rate.interval);
        let at_once = rate.interval.saturating_mul(rate.burst);
        self.full_at.saturating_sub(at_once).saturating_sub(now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn after_a_burst_tokens_are_available_at_the_rate() {
        let (mut bucket, rate) = (TokenBucket::default(), Rate::new(10, 3));
        let delays: Vec<_> = (0..6).map(|_| bucket.reserve(rate, millis(5_000))).collect();
        assert_eq!(delays, [0, 0, 0, 100, 200, 300].map(millis));
        assert_eq!(bucket.reserve(rate, millis(5_250)), millis(150));
        assert_eq!(bucket.reserve(rate, millis(9_000)), Duration::ZERO);
    }

    #[test]
    fn an_idle_bucket_refills_to_one_burst() {
        let (mut bucket, rate) = (TokenBucket::default(), Rate::new(1, 2));
        let at = |bucket: &mut TokenBucket, seconds| bucket.reserve(rate, Duration::from_secs(seconds)).as_secs();
        assert_eq!([0, 0, 0].map(|_| at(&mut bucket, 100)), [0, 0, 1]);
        assert_eq!([0, 0, 0].map(|_| at(&mut bucket, 1_000)), [0, 0, 1]);
    }

    #[test]
    fn a_rate_of_zero_counts_as_one() {
        assert_eq!(Rate::new(0, 0), Rate::new(1, 1));
    }

    proptest! {
        #[test]
        fn no_second_exceeds_the_burst_plus_the_rate(
            (per_second, burst) in (1..50_u32, 1..50_u32),
            steps in prop::collection::vec(0..400_u64, 1..300),
        ) {
            let (mut bucket, rate) = (TokenBucket::default(), Rate::new(per_second, burst));
            let mut now = Duration::ZERO;
            let mut due = Vec::new();
            for step in steps {
                now += millis(step);
                due.push(now + bucket.reserve(rate, now));
            }
            prop_assert!(due.is_sorted());
            for (number, start) in due.iter().enumerate() {
                let within = due[number..].iter().filter(|due| **due < *start + millis(1_000));
                prop_assert!(within.count() as u32 <= burst + per_second);
            }
        }
    }
}
