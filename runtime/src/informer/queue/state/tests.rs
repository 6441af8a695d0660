use super::*;
use crate::metrics::durations::DurationStats;

mod fairness;
mod model;
mod outages;

fn at(second: u64) -> Duration {
    Duration::from_secs(second)
}

impl<Q: Clone + Eq + Hash> QueueState<Q> {
    fn add_changed(&mut self, key: Q, now: Duration) {
        self.add(key, Priority::Changed, Trigger::Change, now);
    }

    fn add_listed(&mut self, key: Q, now: Duration) {
        self.add(key, Priority::Listed, Trigger::FirstList, now);
    }

    fn claim(&mut self, now: Duration) -> Option<Q> {
        Some(self.claim_next(now)?.0)
    }

    /// Adds a key that failed, without a limit over all keys.
    fn fail(&mut self, key: Q, delay: Duration, now: Duration) {
        self.add_retry(key, None, now, |_| delay);
    }
}

#[test]
fn a_key_is_queued_once() {
    let mut state = QueueState::new(|_| 0);
    for key in ["a", "b", "a"] {
        state.add_changed(key, at(0));
    }
    assert_eq!(state.len(), 2);
    assert_eq!(state.claim(at(1)), Some("a"));
    assert_eq!(state.claim(at(1)), Some("b"));
    assert_eq!(state.claim(at(1)), None);
}

#[test]
fn a_key_added_while_claimed_is_claimed_once_more() {
    let mut state = QueueState::new(|_| 0);
    state.add_changed("a", at(0));
    assert_eq!(state.claim(at(0)), Some("a"));
    state.add_changed("a", at(1));
    state.add_changed("a", at(2));
    assert_eq!((state.claim(at(2)), state.len()), (None, 0));
    state.release(&"a", at(3));
    assert_eq!(state.claim(at(3)), Some("a"));
    state.release(&"a", at(4));
    assert_eq!(state.claim(at(4)), None);
}

#[test]
fn a_key_that_is_put_back_is_next() {
    let mut state = QueueState::new(|_| 0);
    for key in ["a", "b"] {
        state.add_changed(key, at(0));
    }
    assert_eq!(state.claim(at(0)), Some("a"));
    state.add_changed("a", at(1));
    state.put_back(&"a", at(2));
    state.put_back(&"a", at(2));
    let claims = [state.claim(at(3)), state.claim(at(3)), state.claim(at(3))];
    assert_eq!(claims, [Some("a"), Some("b"), None]);
    state.shut_down();
    state.put_back(&"a", at(4));
    state.put_back(&"b", at(4));
    assert!(state.keys.is_empty() && state.len() == 0);
}

#[test]
fn changed_objects_are_claimed_before_listed_ones() {
    let mut state = QueueState::new(|_| 0);
    for key in ["a", "b", "c"] {
        state.add_listed(key, at(0));
    }
    state.add_changed("d", at(1));
    state.add_changed("c", at(1));
    // It remains a change.
    state.add_listed("d", at(1));
    assert_eq!(state.len(), 4);
    let claims: Vec<_> = std::iter::from_fn(|| state.claim(at(2))).collect();
    assert_eq!((claims, state.len()), (vec!["c", "d", "a", "b"], 0));
}

#[test]
fn a_change_of_a_claimed_key_keeps_its_priority() {
    let mut state = QueueState::new(|_| 0);
    state.add_changed("a", at(0));
    assert_eq!(state.claim(at(0)), Some("a"));
    state.add_listed("a", at(1));
    state.add_listed("b", at(1));
    state.add_changed("a", at(1));
    state.release(&"a", at(2));
    assert_eq!((state.claim(at(3)), state.claim(at(3)), state.claim(at(3))), (Some("a"), Some("b"), None));
}

#[test]
fn groups_take_turns() {
    let mut state = QueueState::new(|key: &(u64, u32)| key.0);
    for number in 0..1_000 {
        state.add_changed((1, number), at(0));
    }
    state.add_changed((2, 0), at(0));
    state.add_changed((2, 1), at(0));
    let first: Vec<_> = std::iter::from_fn(|| state.claim(at(1))).take(5).collect();
    assert_eq!(first, [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2)]);
}

#[test]
fn the_earlier_of_two_times_applies() {
    let mut state = QueueState::new(|_| 0);
    state.add_at("a", at(5), Trigger::Requeue, at(0));
    state.add_at("a", at(3), Trigger::Requeue, at(0));
    state.add_at("a", at(4), Trigger::Requeue, at(0));
    assert_eq!(state.next_due(), Some(at(3)));
    assert_eq!(state.claim(at(2)), None);
    assert_eq!(state.claim(at(3)), Some("a"));
    state.release(&"a", at(3));
    assert_eq!(state.claim(at(9)), None);
}

#[test]
fn a_queue_accepts_and_returns_nothing_after_shutdown() {
    let mut state = QueueState::new(|_| 0);
    state.add_changed("claimed", at(0));
    assert_eq!(state.claim(at(0)), Some("claimed"));
    state.add_changed("claimed", at(0));
    state.add_changed("waits", at(0));
    state.add_at("later", at(1), Trigger::Requeue, at(0));
    state.shut_down();
    state.add_changed("new", at(0));
    state.add_at("new", at(1), Trigger::Requeue, at(0));
    state.release(&"claimed", at(1));
    assert_eq!((state.claim(at(2)), state.next_due()), (None, None));
    assert!(state.keys.is_empty());
}

#[test]
fn metrics_contain_durations() {
    let mut state = QueueState::new(|_| 0);
    state.add_changed("a", at(0));
    state.add_changed("b", at(1));
    state.add_at("c", at(50), Trigger::Requeue, at(1));
    state.claim(at(3));
    state.add_changed("a", at(4));
    let metrics = state.metrics(at(6));
    assert_eq!((metrics.depth, metrics.delayed, metrics.claimed), (1, 1, 1));
    assert_eq!((metrics.oldest_waiting, metrics.oldest_claimed), (at(5), at(3)));
    state.release(&"a", at(7));
    state.claim(at(8));
    let metrics = state.metrics(at(8));
    let waits = DurationStats { count: 2, total: at(10), longest: at(7) };
    let work = DurationStats { count: 1, total: at(4), longest: at(4) };
    assert_eq!((metrics.waits, metrics.work, metrics.adds), (waits, work, 3));
    assert_eq!((waits.mean(), DurationStats::default().mean()), (at(5), at(0)));
}

#[test]
fn an_attempt_has_the_trigger_of_the_highest_priority() {
    let mut state = QueueState::new(|_| 0);
    let attempt = |state: &mut QueueState<_>, now| {
        let (_, attempt) = state.claim_next(now).unwrap();
        (attempt.trigger, attempt.number)
    };
    state.add_listed("a", at(0));
    state.add("a", Priority::Changed, Trigger::Owned("pods".into()), at(1));
    state.add_changed("a", at(1));
    assert_eq!(attempt(&mut state, at(2)), (Trigger::Owned("pods".into()), 1));
    state.add_listed("a", at(2));
    state.fail("a", at(3), at(2));
    state.release(&"a", at(3));
    assert_eq!(attempt(&mut state, at(3)), (Trigger::FirstList, 2));
    state.fail("a", at(1), at(4));
    state.release(&"a", at(4));
    assert_eq!(attempt(&mut state, at(5)), (Trigger::Retry, 3));
    state.put_back(&"a", at(6));
    assert_eq!(attempt(&mut state, at(6)), (Trigger::Retry, 3));
}

#[test]
fn what_a_run_adds_again_keeps_its_priority() {
    let mut state = QueueState::new(|_| 0);
    for key in ["polled", "failed", "put back"] {
        state.add_listed(key, at(0));
    }
    for _ in 0..3 {
        state.claim(at(0));
    }
    state.add_at("polled", at(1), Trigger::Requeue, at(0));
    state.fail("failed", at(1), at(0));
    state.release(&"polled", at(0));
    state.release(&"failed", at(0));
    state.put_back(&"put back", at(0));
    assert_eq!(state.claim_next(at(0)).unwrap().1.priority, Priority::Listed);
    state.add_changed("changed", at(1));
    let claimed: Vec<_> = std::iter::from_fn(|| state.claim_next(at(1))).collect();
    let priorities: Vec<_> = claimed.into_iter().map(|(key, attempt)| (key, attempt.priority)).collect();
    // The fifth claim is that of the key that has waited longest.
    let listed = |key| (key, Priority::Listed);
    assert_eq!(priorities, [("changed", Priority::Changed), listed("polled"), listed("failed")]);
}

#[test]
fn a_key_that_is_put_back_again_and_again_is_not_the_only_one() {
    let mut state = QueueState::new(|_| 0);
    for key in ["a", "b", "c"] {
        state.add_changed(key, at(0));
    }
    let mut claims = Vec::new();
    for _ in 0..4 {
        let key = state.claim(at(1)).unwrap();
        claims.push(key);
        if key == "a" {
            state.put_back(&key, at(1));
        }
    }
    assert_eq!(claims, ["a", "a", "b", "a"]);
}

#[test]
fn a_claim_replaces_a_retry_that_is_not_due() {
    let mut state = QueueState::new(|_| 0);
    state.fail("a", at(60), at(0));
    state.add_changed("a", at(1));
    assert_eq!(state.claim(at(1)), Some("a"));
    assert_eq!((state.next_due(), state.metrics(at(1)).delayed), (None, 0));
    state.fail("a", at(10), at(2));
    state.fail("a", at(20), at(2));
    assert_eq!(state.next_due(), Some(at(22)));
    assert_eq!(state.failures(&"a"), 3);
    state.forget(&"a");
    assert_eq!((state.next_due(), state.failures(&"a")), (None, 0));
}

#[test]
fn a_forgotten_key_keeps_its_delay_without_a_failure() {
    let mut state = QueueState::new(|_| 0);
    state.add_at("a", at(5), Trigger::Requeue, at(0));
    state.fail("a", at(3), at(0));
    assert_eq!(state.metrics(at(0)).delayed, 1);
    state.forget(&"a");
    assert_eq!(state.next_due(), Some(at(5)));
}

#[test]
fn a_sample_counts_as_client_go() {
    let mut state = QueueState::new(|_| 0);
    for key in ["a", "b", "c"] {
        state.add_listed(key, at(0));
    }
    state.add_changed("c", at(1));
    state.add_changed("c", at(1));
    assert_eq!(state.sample(at(1)).depth, [1, 2]);
    state.add_at("d", at(9), Trigger::Requeue, at(1));
    state.claim(at(2));
    state.claim(at(4));
    let sample = state.sample(at(7));
    assert_eq!((sample.depth, sample.claimed, sample.queued, sample.delays), ([0, 1], 2, 3, 1));
    assert_eq!((sample.unfinished, sample.longest), (at(8), at(5)));
    // The waits of 2 s and 4 s are in the bucket up to 10 s.
    assert_eq!((sample.waits.buckets[9], sample.waits.stats.count), (2, 2));
}
