//! The rate of retries over all keys, without a clock: the caller passes the time.

use std::time::Duration;

/// A rate of retries over all keys.
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

    /// Returns the rate with a shorter interval, if this one is longer.
    pub(super) fn at_least_every(self, interval: Duration) -> Self {
        Self { interval: self.interval.min(interval), ..self }
    }
}

/// Tokens that arrive at a rate. While nothing takes them, they are saved up to the burst.
#[derive(Default)]
pub(super) struct Pace {
    /// When the last token arrived; `None` before the first use, when the burst is available.
    last: Option<Duration>,
    saved: u64,
}

impl Pace {
    /// Adds the tokens that have arrived since the last call. They are all kept if keys wait for them.
    pub(super) fn advance(&mut self, rate: Rate, now: Duration, is_awaited: bool) {
        let last = *self.last.get_or_insert_with(|| {
            self.saved = u64::from(rate.burst);
            now
        });
        let interval = rate.interval.as_nanos().max(1);
        let passed = now.saturating_sub(last).as_nanos();
        self.last = Some(now.saturating_sub(nanos(passed % interval)).max(last));
        let arrived = u64::try_from(passed / interval).unwrap_or(u64::MAX);
        self.saved = self.saved.saturating_add(arrived);
        if !is_awaited {
            self.saved = self.saved.min(u64::from(rate.burst));
        }
    }

    /// Takes a token if there is one.
    pub(super) fn take(&mut self) -> bool {
        let has_one = self.saved > 0;
        self.saved -= u64::from(has_one);
        has_one
    }

    /// Returns when the next token is available.
    pub(super) fn next_at(&self, rate: Rate) -> Duration {
        match (self.saved, self.last) {
            (0, Some(last)) => last.saturating_add(rate.interval.max(Duration::from_nanos(1))),
            _ => Duration::ZERO,
        }
    }
}

/// Converts less than an interval, which is at most a second.
fn nanos(nanos: u128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Returns how many tokens there are at a time.
    fn taken(pace: &mut Pace, rate: Rate, now: Duration, is_awaited: bool) -> usize {
        pace.advance(rate, now, is_awaited);
        std::iter::from_fn(|| pace.take().then_some(())).count()
    }

    #[test]
    fn after_a_burst_tokens_arrive_at_the_rate() {
        let (mut pace, rate) = (Pace::default(), Rate::new(10, 3));
        assert_eq!(taken(&mut pace, rate, millis(5_000), true), 3);
        assert_eq!(pace.next_at(rate), millis(5_100));
        assert_eq!(taken(&mut pace, rate, millis(5_099), true), 0);
        assert_eq!(taken(&mut pace, rate, millis(5_250), true), 2);
        assert_eq!(pace.next_at(rate), millis(5_300));
    }

    #[test]
    fn tokens_that_no_key_waits_for_are_saved_up_to_the_burst() {
        let (mut pace, rate) = (Pace::default(), Rate::new(10, 3));
        assert_eq!(taken(&mut pace, rate, millis(0), false), 3);
        assert_eq!(taken(&mut pace, rate, millis(60_000), false), 3);
        assert_eq!(taken(&mut pace, rate, millis(120_000), true), 600);
    }

    #[test]
    fn a_rate_of_zero_counts_as_one() {
        assert_eq!(Rate::new(0, 0), Rate::new(1, 1));
    }

    #[test]
    fn a_shorter_interval_applies_at_once() {
        let (mut pace, rate) = (Pace::default(), Rate::new(1, 1));
        assert_eq!(taken(&mut pace, rate, millis(0), true), 1);
        assert_eq!(taken(&mut pace, rate.at_least_every(millis(10)), millis(35), true), 3);
        assert_eq!(taken(&mut pace, rate.at_least_every(millis(9_000)), millis(1_030), true), 1);
    }
}
