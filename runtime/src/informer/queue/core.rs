//! The state of a work queue, without clocks and wakers: the caller passes the time.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
    time::Duration,
};

use super::{
    bucket::{Rate, TokenBucket},
    metrics::{Counters, QueueMetrics},
};

/// Each key is queued, claimed, or both: a key that is added while it is claimed is queued until it is released.
pub(super) struct Core<Q> {
    keys: HashMap<Q, State>,
    /// Keys that can be claimed, in FIFO order.
    ready: VecDeque<Q>,
    /// Delayed keys by due time. The sequence number makes each entry unique.
    later: BTreeMap<Due, Q>,
    delayed: u64,
    claimed: usize,
    shut: bool,
    retried: TokenBucket,
    measures: Counters,
}

type Due = (Duration, u64);

#[derive(Default)]
struct State {
    waits_since: Option<Duration>,
    claimed_since: Option<Duration>,
    due: Option<Due>,
    retries: u32,
}

impl State {
    fn is_idle(&self) -> bool {
        let Self {
            waits_since,
            claimed_since,
            due,
            retries,
        } = self;
        waits_since.is_none() && claimed_since.is_none() && due.is_none() && *retries == 0
    }
}

impl<Q: Clone + Eq + Hash> Core<Q> {
    pub(super) fn new() -> Self {
        Self {
            keys: HashMap::new(),
            ready: VecDeque::new(),
            later: BTreeMap::new(),
            delayed: 0,
            claimed: 0,
            shut: false,
            retried: TokenBucket::default(),
            measures: Counters::default(),
        }
    }

    /// Returns the number of keys that can be claimed now.
    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn is_shut(&self) -> bool {
        self.shut
    }

    pub(super) fn add(&mut self, key: Q, now: Duration) {
        if self.shut {
            return;
        }
        self.measures.adds += 1;
        let state = self.keys.entry(key.clone()).or_default();
        if state.waits_since.is_some() {
            return;
        }
        state.waits_since = Some(now);
        if state.claimed_since.is_none() {
            self.ready.push_back(key);
        }
    }

    /// Adds a key at a time. If the key is already delayed, the earlier time applies.
    pub(super) fn add_at(&mut self, key: Q, at: Duration, now: Duration) {
        if self.shut {
            return;
        }
        if at <= now {
            return self.add(key, now);
        }
        let state = self.keys.entry(key.clone()).or_default();
        if state.due.is_some_and(|(earlier, _)| earlier <= at) {
            return;
        }
        self.delayed += 1;
        let due = (at, self.delayed);
        if let Some(later) = state.due.replace(due) {
            self.later.remove(&later);
        }
        self.later.insert(due, key);
    }

    /// Returns when the next delayed key is due.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.later.first_key_value().map(|((due, _), _)| *due)
    }

    pub(super) fn claim(&mut self, now: Duration) -> Option<Q> {
        if self.shut {
            return None;
        }
        self.advance(now);
        let key = self.ready.pop_front()?;
        let state = self.keys.entry(key.clone()).or_default();
        let since = state.waits_since.take().unwrap_or(now);
        state.claimed_since = Some(now);
        self.claimed += 1;
        self.measures.waits.count(now.saturating_sub(since));
        Some(key)
    }

    /// Marks a claimed key as done.
    pub(super) fn release(&mut self, key: &Q, now: Duration) {
        let Some(state) = self.keys.get_mut(key) else {
            return;
        };
        let Some(since) = state.claimed_since.take() else {
            return;
        };
        self.claimed -= 1;
        self.measures.work.count(now.saturating_sub(since));
        if state.waits_since.is_some() {
            self.ready.push_back(key.clone());
        }
        self.tidy(key);
    }

    /// Returns a claimed key to the front of the queue.
    pub(super) fn put_back(&mut self, key: &Q, now: Duration) {
        let Some(state) = self.keys.get_mut(key) else {
            return;
        };
        if state.claimed_since.take().is_none() {
            return;
        }
        self.claimed -= 1;
        if !self.shut {
            state.waits_since.get_or_insert(now);
            self.ready.push_front(key.clone());
        }
        self.tidy(key);
    }

    /// Returns the delay of a retry by the rate limit over all keys.
    pub(super) fn reserve(&mut self, rate: Rate, now: Duration) -> Duration {
        self.retried.reserve(rate, now)
    }

    pub(super) fn retries(&self, key: &Q) -> u32 {
        self.keys.get(key).map_or(0, |state| state.retries)
    }

    /// Counts a retry, and returns the number of earlier ones.
    pub(super) fn retry(&mut self, key: &Q) -> u32 {
        let state = self.keys.entry(key.clone()).or_default();
        let before = state.retries;
        state.retries = before.saturating_add(1);
        self.measures.retries += 1;
        before
    }

    pub(super) fn forget(&mut self, key: &Q) {
        if let Some(state) = self.keys.get_mut(key) {
            state.retries = 0;
            self.tidy(key);
        }
    }

    /// Stops accepting and handing out keys, and drops the queued ones.
    pub(super) fn shut_down(&mut self) {
        self.shut = true;
        self.ready.clear();
        self.later.clear();
        self.keys.retain(|_, state| {
            *state = State {
                claimed_since: state.claimed_since,
                ..State::default()
            };
            !state.is_idle()
        });
    }

    pub(super) fn metrics(&self, now: Duration) -> QueueMetrics {
        let age = |since: Option<Duration>| since.map(|since| now.saturating_sub(since));
        let oldest = |since: fn(&State) -> Option<Duration>| {
            let ages = self.keys.values().filter_map(|state| age(since(state)));
            ages.max().unwrap_or_default()
        };
        QueueMetrics {
            depth: self.ready.len(),
            delayed: self.later.len(),
            claimed: self.claimed,
            oldest_waiting: oldest(|state| state.waits_since),
            oldest_claimed: oldest(|state| state.claimed_since),
            adds: self.measures.adds,
            retries: self.measures.retries,
            waits: self.measures.waits,
            work: self.measures.work,
        }
    }

    fn advance(&mut self, now: Duration) {
        while self.next_due().is_some_and(|due| due <= now) {
            let Some(((due, _), key)) = self.later.pop_first() else {
                return;
            };
            if let Some(state) = self.keys.get_mut(&key) {
                state.due = None;
            }
            self.add(key, due);
        }
    }

    fn tidy(&mut self, key: &Q) {
        if self.keys.get(key).is_some_and(State::is_idle) {
            self.keys.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
