//! The state of a work queue, without clocks and wakers: the caller passes the time.

use std::{collections::BTreeMap, hash::Hash, time::Duration};

use hashbrown::{HashMap, hash_map::EntryRef};

use super::{
    metrics::{Counters, QueueMetrics, QueueSample},
    ready::{GroupOf, Priority, QueuePosition, ReadyKeys},
    retries::{ADMITTED_BY_SUCCESS, Due, Limit, Retries, Retry},
    trigger::{Attempt, Trigger},
};

/// Each key is queued, claimed, or both: a key that is added while it is claimed is queued until it is released.
pub(super) struct QueueState<Q> {
    keys: HashMap<Q, KeyState>,
    ready: ReadyKeys<Q>,
    /// Delayed keys by due time. The sequence number makes each entry unique.
    delayed_keys: BTreeMap<Due, Delayed<Q>>,
    retries: Retries<Q>,
    sequence: u64,
    /// The claimed keys, by the time of the claim.
    claims: BTreeMap<Due, Q>,
    is_shut_down: bool,
    counters: Counters,
}

struct Delayed<Q> {
    key: Q,
    priority: Priority,
    trigger: Trigger,
}

#[derive(Default)]
struct KeyState {
    queued: Option<Queued>,
    claim: Option<Claim>,
    due: Option<Due>,
    retry_due: Option<Due>,
    failures: u32,
}

struct Queued {
    since: Duration,
    priority: Priority,
    /// Why the key was queued.
    trigger: Trigger,
    /// Whether its last run failed.
    is_retry: bool,
    /// Where the key waits; `None` while it is claimed.
    place: Option<QueuePosition>,
}

/// A run of a key.
struct Claim {
    at: Due,
    priority: Priority,
    trigger: Trigger,
    is_retry: bool,
}

impl KeyState {
    fn is_idle(&self) -> bool {
        let Self { queued, claim, due, retry_due, failures } = self;
        queued.is_none() && claim.is_none() && due.is_none() && retry_due.is_none() && *failures == 0
    }

    /// Returns the priority of what adds the key again: that of its current run.
    fn priority(&self) -> Priority {
        self.claim.as_ref().map(|claim| claim.priority).unwrap_or_default()
    }
}

impl<Q: Clone + Eq + Hash> QueueState<Q> {
    pub(super) fn new(group_of: GroupOf<Q>) -> Self {
        Self {
            keys: HashMap::new(),
            ready: ReadyKeys::new(group_of),
            delayed_keys: BTreeMap::new(),
            retries: Retries::new(group_of),
            sequence: 0,
            claims: BTreeMap::new(),
            is_shut_down: false,
            counters: Counters::default(),
        }
    }

    /// Returns the number of keys that can be claimed now.
    pub(super) fn len(&self) -> usize {
        self.ready.depth().iter().sum()
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.is_shut_down
    }

    /// Adds a key. If it is queued, the higher priority applies, with its trigger.
    pub(super) fn add(&mut self, key: Q, priority: Priority, trigger: Trigger, now: Duration) {
        self.add_queued(key, Queued { since: now, priority, trigger, is_retry: false, place: None });
    }

    /// Adds a key at a time, with the priority of its current run. If the key is already delayed, the earlier time applies.
    pub(super) fn add_at(&mut self, key: Q, at: Duration, trigger: Trigger, now: Duration) {
        if self.is_shut_down {
            return;
        }
        let priority = self.keys.get(&key).map(KeyState::priority).unwrap_or_default();
        if at <= now {
            return self.add(key, priority, trigger, now);
        }
        self.counters.delays += 1;
        let state = self.keys.entry(key.clone()).or_default();
        if state.due.is_some_and(|(earlier, _)| earlier <= at) {
            return;
        }
        self.sequence += 1;
        let due = (at, self.sequence);
        if let Some(later) = state.due.replace(due) {
            self.delayed_keys.remove(&later);
        }
        self.delayed_keys.insert(due, Delayed { key, priority, trigger });
    }

    /// Adds a key that failed, at a time that its number of earlier failures determines, with the priority of its current run. This
    /// replaces an earlier retry. Returns the delay.
    pub(super) fn add_retry(
        &mut self,
        key: Q,
        limit: Option<Limit>,
        now: Duration,
        delay: impl FnOnce(u32) -> Duration,
    ) -> Duration {
        let state = self.keys.entry(key.clone()).or_default();
        let delay = delay(state.failures);
        state.failures = state.failures.saturating_add(1);
        self.counters.retries += 1;
        if self.is_shut_down {
            return delay;
        }
        self.counters.delays += 1;
        if let Some(earlier) = state.retry_due.take() {
            self.retries.remove(earlier);
        }
        let retry = Retry { key, priority: state.priority(), failures: state.failures, limit };
        state.retry_due = Some(self.retries.insert(now.saturating_add(delay), retry));
        delay
    }

    /// Returns when the next delayed key may be due.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.next_delayed().into_iter().chain(self.retries.next_at()).min()
    }

    /// Claims the next key, and describes its reconciliation. It replaces a retry of the key that is not due yet.
    pub(super) fn claim_next(&mut self, now: Duration) -> Option<(Q, Attempt)> {
        if self.is_shut_down {
            return None;
        }
        self.add_due(now);
        let key = self.ready.pop()?;
        let state = self.keys.get_mut(&key)?;
        let Queued { since, priority, trigger, is_retry, .. } = state.queued.take()?;
        let replaced = state.retry_due.take();
        self.sequence += 1;
        let at = (now, self.sequence);
        let attempt = Attempt { trigger: trigger.clone(), priority, number: state.failures.saturating_add(1) };
        state.claim = Some(Claim { at, priority, trigger, is_retry: is_retry || replaced.is_some() });
        if let Some(replaced) = replaced {
            self.retries.remove(replaced);
        }
        self.claims.insert(at, key.clone());
        self.counters.waits.count(now.saturating_sub(since));
        Some((key, attempt))
    }

    /// Marks a claimed key as done. Returns whether it can be claimed again.
    pub(super) fn release(&mut self, key: &Q, now: Duration) -> bool {
        let EntryRef::Occupied(mut entry) = self.keys.entry_ref(key) else {
            return false;
        };
        let state = entry.get_mut();
        let Some(claim) = state.claim.take() else {
            return false;
        };
        self.claims.remove(&claim.at);
        self.counters.work.count(now.saturating_sub(claim.at.0));
        if let Some(queued) = &mut state.queued {
            queued.place = Some(self.ready.push(key.clone(), queued.priority));
            return true;
        }
        if state.is_idle() {
            entry.remove();
        }
        false
    }

    /// Returns a claimed key to the front of the queue.
    pub(super) fn put_back(&mut self, key: &Q, now: Duration) {
        let Some(state) = self.keys.get_mut(key) else {
            return;
        };
        let Some(Claim { at, priority, trigger, is_retry }) = state.claim.take() else {
            return;
        };
        self.claims.remove(&at);
        if !self.is_shut_down {
            let queued = state.queued.get_or_insert(Queued { since: now, priority, trigger, is_retry, place: None });
            queued.priority = queued.priority.min(priority);
            queued.is_retry |= is_retry;
            queued.place = Some(self.ready.push_front(key.clone()));
        }
        self.remove_if_idle(key);
    }

    pub(super) fn failures(&self, key: &Q) -> u32 {
        self.keys.get(key).map_or(0, |state| state.failures)
    }

    /// Resets the back-off of a key, and removes its retry. Returns whether its current run is a retry.
    pub(super) fn forget(&mut self, key: &Q) -> bool {
        let Some(state) = self.keys.get_mut(key) else {
            return false;
        };
        state.failures = 0;
        if let Some(due) = state.retry_due.take() {
            self.retries.remove(due);
        }
        // One success of a run admits others once.
        let was_retry = state.claim.as_mut().is_some_and(|claim| std::mem::take(&mut claim.is_retry));
        self.remove_if_idle(key);
        was_retry
    }

    /// Resets the back-off of a key. If its current run is a retry, others follow at once. Returns whether keys can be claimed that
    /// could not before.
    pub(super) fn succeed(&mut self, key: &Q, now: Duration) -> bool {
        if !self.forget(key) {
            return false;
        }
        let admitted: Vec<_> = std::iter::from_fn(|| self.retries.admit()).take(ADMITTED_BY_SUCCESS).collect();
        let is_any = !admitted.is_empty();
        admitted.into_iter().for_each(|retry| self.add_admitted(retry, now));
        is_any
    }

    /// Stops accepting and handing out keys, and drops the queued ones.
    pub(super) fn shut_down(&mut self) {
        self.is_shut_down = true;
        self.ready.clear();
        self.delayed_keys.clear();
        self.retries.clear();
        self.keys.retain(|_, state| {
            *state = KeyState { claim: state.claim.take(), ..KeyState::default() };
            !state.is_idle()
        });
    }

    pub(super) fn metrics(&self, now: Duration) -> QueueMetrics {
        let ages = self.keys.values().filter_map(|state| Some(now.saturating_sub(state.queued.as_ref()?.since)));
        let is_delayed = |state: &&KeyState| state.due.is_some() || state.retry_due.is_some();
        QueueMetrics {
            depth: self.len(),
            delayed: self.keys.values().filter(is_delayed).count(),
            claimed: self.claims.len(),
            oldest_waiting: ages.max().unwrap_or_default(),
            oldest_claimed: self.oldest_claim(now).map_or(Duration::ZERO, |(_, age)| age),
            adds: self.counters.adds,
            retries: self.counters.retries,
            waits: self.counters.waits.stats,
            work: self.counters.work.stats,
        }
    }

    pub(super) fn sample(&self, now: Duration) -> QueueSample {
        let Counters { queued, delays, waits, work, .. } = self.counters;
        QueueSample {
            depth: self.ready.depth(),
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

    /// Adds a key, or raises the priority of a queued one.
    fn add_queued(&mut self, key: Q, added: Queued) {
        if self.is_shut_down {
            return;
        }
        self.counters.adds += 1;
        let state = self.keys.entry(key.clone()).or_default();
        let Some(queued) = &mut state.queued else {
            self.counters.queued += 1;
            let place = state.claim.is_none().then(|| self.ready.push(key, added.priority));
            state.queued = Some(Queued { place, ..added });
            return;
        };
        queued.is_retry |= added.is_retry;
        if added.priority < queued.priority {
            queued.priority = added.priority;
            queued.trigger = added.trigger;
            queued.place = queued.place.map(|place| self.ready.promote(place, added.priority));
        }
    }

    fn next_delayed(&self) -> Option<Duration> {
        self.delayed_keys.first_key_value().map(|((due, _), _)| *due)
    }

    fn add_due(&mut self, now: Duration) {
        while self.next_delayed().is_some_and(|due| due <= now) {
            let Some(((due, _), Delayed { key, priority, trigger })) = self.delayed_keys.pop_first() else {
                return;
            };
            if let Some(state) = self.keys.get_mut(&key) {
                state.due = None;
            }
            self.add(key, priority, trigger, due);
        }
        while let Some(retry) = self.retries.pop(now) {
            self.add_admitted(retry, now);
        }
    }

    fn add_admitted(&mut self, Retry { key, priority, .. }: Retry<Q>, now: Duration) {
        if let Some(state) = self.keys.get_mut(&key) {
            state.retry_due = None;
        }
        self.add_queued(key, Queued { since: now, priority, trigger: Trigger::Retry, is_retry: true, place: None });
    }

    fn remove_if_idle(&mut self, key: &Q) {
        if self.keys.get(key).is_some_and(KeyState::is_idle) {
            self.keys.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
