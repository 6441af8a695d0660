//! A dependency that is away: how often objects are retried meanwhile, and how soon afterwards.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{super::super::backoff::Backoff, fairness::Random, *};

/// Workers that reconcile the keys of a queue on a virtual clock. All runs fail during the outage.
struct Outage {
    state: QueueState<u32>,
    backoff: Backoff,
    random: Random,
    now: Duration,
    ends: Duration,
    /// The running keys, by the end of their run.
    running: BTreeSet<(Duration, u32)>,
    /// When the retry of a key was due that waits for the limit.
    due: HashMap<u32, Duration>,
    retries: usize,
    longest_wait: Duration,
    succeeded: BTreeMap<u32, Duration>,
}

const WORKERS: usize = 8;
/// How long a run takes.
const RUN: Duration = Duration::from_millis(5);

impl Outage {
    fn begin(objects: u32, lasts: Duration, seed: u64) -> Self {
        let mut state = QueueState::new(|_| 0);
        (0..objects).for_each(|key| state.add_listed(key, Duration::ZERO));
        Self {
            state,
            backoff: Backoff::default(),
            random: Random(seed),
            now: Duration::ZERO,
            ends: lasts,
            running: BTreeSet::new(),
            due: HashMap::new(),
            retries: 0,
            longest_wait: Duration::ZERO,
            succeeded: BTreeMap::new(),
        }
    }

    /// Lets all objects have failed so often that their delays have the maximum, as after an hour.
    fn that_lasts_for_hours(mut self) -> Self {
        let keys: Vec<_> = std::iter::from_fn(|| self.state.claim(self.now)).collect();
        for key in keys {
            for _ in 0..20 {
                self.state.fail(key, Duration::ZERO, self.now);
            }
            self.fail(key);
            self.state.release(&key, self.now);
        }
        self
    }

    /// Runs until a time, or until no object is left.
    fn run_until(&mut self, time: Duration) {
        while self.now < time {
            while self.running.len() < WORKERS
                && let Some((key, _)) = self.state.claim_next(self.now)
            {
                if let Some(due) = self.due.remove(&key) {
                    self.longest_wait = self.longest_wait.max(self.now - due);
                    self.retries += 1;
                }
                self.running.insert((self.now + RUN, key));
            }
            let end = self.running.first().map(|(end, _)| *end);
            let due = self.state.next_due().filter(|_| self.running.len() < WORKERS);
            let Some(next) = end.into_iter().chain(due).min() else {
                return;
            };
            self.now = next.max(self.now);
            while let Some((end, key)) = self.running.first().copied().filter(|(end, _)| *end <= self.now) {
                self.running.remove(&(end, key));
                if end < self.ends {
                    self.fail(key);
                } else {
                    self.state.succeed(&key, self.now);
                    self.succeeded.insert(key, self.now);
                }
                self.state.release(&key, self.now);
            }
        }
    }

    fn fail(&mut self, key: u32) {
        let random = self.random.fraction();
        let backoff = self.backoff;
        let delay = self.state.add_retry(key, backoff.limit(), self.now, |failures| backoff.delay(failures, random));
        self.due.insert(key, self.now + delay);
    }

    /// Returns how long after the outage the last object was reconciled.
    fn recover(&mut self, objects: u32) -> Duration {
        self.run_until(self.ends + at(3_600));
        assert_eq!(self.succeeded.len(), objects as usize);
        assert!(self.state.next_due().is_none() && self.state.keys.is_empty());
        *self.succeeded.values().max().unwrap() - self.ends
    }
}

/// The longest delay of `Backoff::default()`.
const LONGEST: Duration = Duration::from_secs(300);

/// How long the workers need for all objects.
fn work(objects: u32) -> Duration {
    RUN * objects / WORKERS as u32
}

#[test]
fn after_a_minute_all_objects_follow_within_seconds() {
    for (objects, seed) in [(1, 1), (100, 2), (100, 3), (5_000, 4), (5_000, 5)] {
        let mut outage = Outage::begin(objects, at(60), seed);
        outage.run_until(at(60));
        // What is left of the delays, of which the last ones are due 60 s after the first failure at most.
        let delayed = outage.due.values().max().unwrap().saturating_sub(at(60));
        let recovery = outage.recover(objects);
        assert!(recovery <= delayed + work(objects) + at(2), "{objects}: {recovery:?}, {delayed:?}");
    }
}

#[test]
fn after_hours_all_objects_follow_within_the_longest_delay() {
    let hour = at(3_600);
    let many = Outage::begin(20_000, at(1_200), 3).that_lasts_for_hours();
    for (objects, mut outage) in
        [(100, Outage::begin(100, hour, 1)), (5_000, Outage::begin(5_000, hour, 2)), (20_000, many)]
    {
        outage.run_until(outage.ends);
        let recovery = outage.recover(objects);
        assert!(recovery <= LONGEST + work(objects) + at(2), "{objects}: {recovery:?}");
        assert!(outage.longest_wait <= LONGEST + at(1), "{objects}: {:?}", outage.longest_wait);
    }
}

#[test]
fn a_day_does_not_change_that() {
    let (objects, day) = (100, at(86_400));
    let mut outage = Outage::begin(objects, day, 1);
    outage.run_until(day);
    // Each object is retried after 225 s on average.
    assert!((30_000..45_000).contains(&outage.retries), "{}", outage.retries);
    assert!(outage.recover(objects) <= LONGEST + at(2));
}

#[test]
fn a_hundred_thousand_objects_are_retried_at_a_bounded_rate_and_wait() {
    let mut outage = Outage::begin(100_000, at(120), 1);
    outage.run_until(at(120));
    // All failed within 63 s, and the rate is 2/300 of those that wait.
    assert!(outage.retries <= 100 + 120 * 667, "{}", outage.retries);
    let recovery = outage.recover(100_000);
    assert!(recovery <= work(100_000) + at(40), "{recovery:?}");
}

#[test]
fn a_failure_does_not_wait_for_thousands_that_always_fail() {
    let mut outage = Outage::begin(5_000, Duration::MAX, 7).that_lasts_for_hours();
    outage.run_until(at(600));
    outage.due.clear();
    outage.longest_wait = Duration::ZERO;
    outage.state.add_changed(9_999, outage.now);
    outage.run_until(at(602));
    assert!(outage.state.failures(&9_999) >= 3, "{}", outage.state.failures(&9_999));
}

#[test]
fn keys_that_are_forgotten_leave_their_places() {
    let mut state = QueueState::new(|_| 0);
    let limit = Backoff::default().limit();
    for key in 0..50_000_u32 {
        state.add_retry(key, limit, at(0), |_| at(1));
    }
    // They wait for the limit, except for the burst.
    assert!(state.claim(at(1)).is_some());
    for key in 0..50_000 {
        state.forget(&key);
    }
    state.add_retry(99_999, limit, at(2), |_| at(1));
    let mut claimed = std::iter::from_fn(|| state.claim(at(4)));
    assert!(claimed.any(|key| key == 99_999));
    assert_eq!(state.metrics(at(4)).delayed, 0);
}

#[test]
fn the_rate_falls_again_when_retries_fail_again() {
    let mut state = QueueState::new(|_| 0);
    let limit = Backoff::default().limit();
    for key in 0..1_000_u32 {
        state.add_retry(key, limit, at(0), |_| Duration::ZERO);
    }
    let burst: Vec<_> = std::iter::from_fn(|| state.claim(at(0))).collect();
    assert_eq!(burst.len(), 100);
    for key in &burst[..2] {
        state.succeed(key, at(0));
    }
    assert_eq!(std::iter::from_fn(|| state.claim(at(0))).count(), 4);
    for key in &burst[2..] {
        state.add_retry(*key, limit, at(0), |_| at(600));
    }
    assert_eq!(state.claim(at(0)), None);
    // Ten a second.
    let claims = std::iter::from_fn(|| state.claim(at(1))).count();
    assert!((9..=11).contains(&claims), "{claims}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_retry_waits_longer_for_the_limit_than_the_longest_delay(
        failures in proptest::collection::vec((0..4_000_u64, 0..30_000_u64), 1..400),
        (rate, burst) in (1..5_u32, 1..20_u32),
        longest in 60..90_u64,
    ) {
        let backoff = Backoff::new(at(1), at(longest)).overall(rate, burst);
        let mut state = QueueState::new(|key: &u32| u64::from(key % 3));
        let (mut now, mut due) = (Duration::ZERO, HashMap::new());
        let mut failures = failures.into_iter().zip(0_u32..).peekable();
        while failures.peek().is_some() || !due.is_empty() {
            if let Some(((pause, delay), key)) = failures.next() {
                now += Duration::from_millis(pause / 40);
                state.add_retry(key, backoff.limit(), now, |_| Duration::from_millis(delay));
                due.insert(key, now + Duration::from_millis(delay));
            } else if let Some(next) = state.next_due() {
                now = now.max(next);
            }
            while let Some(key) = state.claim(now) {
                let due = due.remove(&key).unwrap();
                // The queue is only looked at each 100 ms.
                let latest = due + at(longest) + Duration::from_millis(100);
                prop_assert!(due <= now && now <= latest, "{:?} {:?}", now, due);
                state.forget(&key);
                state.release(&key, now);
            }
        }
        prop_assert!(state.keys.is_empty());
    }
}
