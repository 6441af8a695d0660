//! The state of a work queue, without clocks and wakers: the caller passes the time.

use std::{collections::BTreeMap, hash::Hash, time::Duration};

use hashbrown::{HashMap, hash_map::EntryRef};

#[cfg(feature = "controller")]
use super::metrics::QueueSample;
use super::{
    metrics::{Counters, QueueMetrics},
    ready::{GroupOf, Priority, ReadyKeys},
    token_bucket::{Rate, TokenBucket},
    trigger::{Attempt, Trigger},
};

/// Each key is queued, claimed, or both: a key that is added while it is claimed is queued until it is released.
pub(super) struct QueueState<Q> {
    keys: HashMap<Q, State>,
    ready: ReadyKeys<Q>,
    /// The number of keys that can be claimed, by priority.
    ready_counts: [usize; 2],
    /// Delayed keys by due time. The sequence number makes each entry unique.
    delayed_keys: BTreeMap<Due, (Q, Trigger)>,
    sequence: u64,
    /// The claimed keys, by the time of the claim.
    claims: BTreeMap<Due, Q>,
    is_shut_down: bool,
    retry_bucket: TokenBucket,
    counters: Counters,
}

type Due = (Duration, u64);

#[derive(Default)]
struct State {
    queued_since: Option<Duration>,
    claimed_since: Option<Due>,
    due: Option<Due>,
    retries: u32,
    /// The priority of a queued key.
    priority: Priority,
    /// Why the key was queued.
    trigger: Trigger,
}

impl State {
    fn is_ready(&self, priority: Priority) -> bool {
        self.queued_since.is_some() && self.claimed_since.is_none() && self.priority == priority
    }

    fn is_idle(&self) -> bool {
        let Self { queued_since, claimed_since, due, retries, priority: _, trigger: _ } = self;
        queued_since.is_none() && claimed_since.is_none() && due.is_none() && *retries == 0
    }
}

impl<Q: Clone + Eq + Hash> QueueState<Q> {
    pub(super) fn new(group_of: GroupOf<Q>) -> Self {
        Self {
            keys: HashMap::new(),
            ready: ReadyKeys::new(group_of),
            ready_counts: [0; 2],
            delayed_keys: BTreeMap::new(),
            sequence: 0,
            claims: BTreeMap::new(),
            is_shut_down: false,
            retry_bucket: TokenBucket::default(),
            counters: Counters::default(),
        }
    }

    /// Returns the number of keys that can be claimed now.
    pub(super) fn len(&self) -> usize {
        self.ready_counts.iter().sum()
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.is_shut_down
    }

    /// Adds a key. If it is queued, the higher priority applies, with its trigger.
    pub(super) fn add(&mut self, key: Q, priority: Priority, trigger: Trigger, now: Duration) {
        if self.is_shut_down {
            return;
        }
        self.counters.adds += 1;
        let state = self.keys.entry(key.clone()).or_default();
        let is_queued = state.queued_since.is_some();
        if is_queued && state.priority <= priority {
            return;
        }
        self.counters.queued += u64::from(!is_queued);
        state.queued_since.get_or_insert(now);
        let earlier = std::mem::replace(&mut state.priority, priority);
        state.trigger = trigger;
        if state.claimed_since.is_none() {
            self.ready.push(key, priority);
            self.ready_counts[earlier as usize] -= usize::from(is_queued);
            self.ready_counts[priority as usize] += 1;
        }
    }

    /// Adds a key at a time. If the key is already delayed, the earlier time applies.
    pub(super) fn add_at(&mut self, key: Q, at: Duration, trigger: Trigger, now: Duration) {
        if self.is_shut_down {
            return;
        }
        if at <= now {
            return self.add(key, Priority::Changed, trigger, now);
        }
        self.counters.delays += 1;
        let state = self.keys.entry(key.clone()).or_default();
        if state.due.is_some_and(|(earlier, _)| earlier <= at) {
            return;
        }
        self.sequence += 1;
        let due = (at, self.sequence);
        if let Some(delayed_keys) = state.due.replace(due) {
            self.delayed_keys.remove(&delayed_keys);
        }
        self.delayed_keys.insert(due, (key, trigger));
    }

    /// Returns when the next delayed key is due.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.delayed_keys.first_key_value().map(|((due, _), _)| *due)
    }

    /// Claims the next key, and describes its reconciliation.
    pub(super) fn claim_next(&mut self, now: Duration) -> Option<(Q, Attempt)> {
        if self.is_shut_down {
            return None;
        }
        self.add_due(now);
        while let Some((key, priority)) = self.ready.pop() {
            // Skips keys whose priority has changed since.
            let Some(state) = self.keys.get_mut(&key).filter(|state| state.is_ready(priority)) else {
                continue;
            };
            let since = state.queued_since.take().unwrap_or(now);
            self.sequence += 1;
            let claim = (now, self.sequence);
            state.claimed_since = Some(claim);
            let attempt = Attempt { trigger: state.trigger.clone(), number: state.retries.saturating_add(1) };
            self.claims.insert(claim, key.clone());
            self.ready_counts[priority as usize] -= 1;
            self.counters.waits.count(now.saturating_sub(since));
            return Some((key, attempt));
        }
        None
    }

    /// Marks a claimed key as done. Returns whether it can be claimed again.
    pub(super) fn release(&mut self, key: &Q, now: Duration) -> bool {
        let EntryRef::Occupied(mut entry) = self.keys.entry_ref(key) else {
            return false;
        };
        let state = entry.get_mut();
        let Some(claim) = state.claimed_since.take() else {
            return false;
        };
        self.claims.remove(&claim);
        self.counters.work.count(now.saturating_sub(claim.0));
        let (is_queued, priority, is_idle) = (state.queued_since.is_some(), state.priority, state.is_idle());
        if is_idle {
            entry.remove();
        }
        if is_queued {
            self.ready.push(key.clone(), priority);
            self.ready_counts[priority as usize] += 1;
        }
        is_queued
    }

    /// Returns a claimed key to the front of the queue.
    pub(super) fn put_back(&mut self, key: &Q, now: Duration) {
        let Some(state) = self.keys.get_mut(key) else {
            return;
        };
        let Some(claim) = state.claimed_since.take() else {
            return;
        };
        self.claims.remove(&claim);
        if !self.is_shut_down {
            state.queued_since.get_or_insert(now);
            state.priority = Priority::Changed;
            self.ready.push_front(key.clone());
            self.ready_counts[Priority::Changed as usize] += 1;
        }
        self.remove_if_idle(key);
    }

    /// Returns the delay of a retry by the rate limit over all keys.
    pub(super) fn reserve(&mut self, rate: Rate, now: Duration) -> Duration {
        self.retry_bucket.reserve(rate, now)
    }

    pub(super) fn retries(&self, key: &Q) -> u32 {
        self.keys.get(key).map_or(0, |state| state.retries)
    }

    /// Counts a retry, and returns the number of earlier ones.
    pub(super) fn retry(&mut self, key: &Q) -> u32 {
        let state = self.keys.entry(key.clone()).or_default();
        let before = state.retries;
        state.retries = before.saturating_add(1);
        self.counters.retries += 1;
        before
    }

    pub(super) fn forget(&mut self, key: &Q) {
        if let Some(state) = self.keys.get_mut(key) {
            state.retries = 0;
            self.remove_if_idle(key);
        }
    }

    /// Stops accepting and handing out keys, and drops the queued ones.
    pub(super) fn shut_down(&mut self) {
        self.is_shut_down = true;
        self.ready.clear();
        self.ready_counts = [0; 2];
        self.delayed_keys.clear();
        self.keys.retain(|_, state| {
            *state = State { claimed_since: state.claimed_since, ..State::default() };
            !state.is_idle()
        });
    }

    pub(super) fn metrics(&self, now: Duration) -> QueueMetrics {
        let ages = self.keys.values().filter_map(|state| Some(now.saturating_sub(state.queued_since?)));
        QueueMetrics {
            depth: self.len(),
            delayed: self.delayed_keys.len(),
            claimed: self.claims.len(),
            oldest_waiting: ages.max().unwrap_or_default(),
            oldest_claimed: self.oldest_claim(now).map_or(Duration::ZERO, |(_, age)| age),
            adds: self.counters.adds,
            retries: self.counters.retries,
            waits: self.counters.waits.stats,
            work: self.counters.work.stats,
        }
    }

    #[cfg(feature = "controller")]
    pub(super) fn sample(&self, now: Duration) -> QueueSample {
        let Counters { queued, delays, waits, work, .. } = self.counters;
        QueueSample {
            depth: self.ready_counts,
            queued,
            delays,
            waits,
            work,
            claimed: self.claims.len(),
            unfinished: self.claims.keys().map(|(since, _)| now.saturating_sub(*since)).sum(),
            longest: self.oldest_claim(now).map_or(Duration::ZERO, |(_, age)| age),
        }
    }

    /// Returns the key that was claimed first, and how long ago.
    pub(super) fn oldest_claim(&self, now: Duration) -> Option<(&Q, Duration)> {
        let ((since, _), key) = self.claims.first_key_value()?;
        Some((key, now.saturating_sub(*since)))
    }

    fn add_due(&mut self, now: Duration) {
        while self.next_due().is_some_and(|due| due <= now) {
            let Some(((due, _), (key, trigger))) = self.delayed_keys.pop_first() else {
                return;
            };
            if let Some(state) = self.keys.get_mut(&key) {
                state.due = None;
            }
            self.add(key, Priority::Changed, trigger, due);
        }
    }

    fn remove_if_idle(&mut self, key: &Q) {
        if self.keys.get(key).is_some_and(State::is_idle) {
            self.keys.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
