//! The keys that are retried, without a clock: the caller passes the time.

use std::{collections::BTreeMap, time::Duration};

use super::{
    fairness::Turns,
    rate_limit::{Pace, Rate},
    ready::{GroupOf, Priority},
};

/// The number of keys that follow each successful retry. If all succeed, they double until none waits.
pub(super) const ADMITTED_BY_SUCCESS: usize = 2;

/// How many of those that are admitted include the key that has waited longest. The others are those with the fewest failures, of
/// each group in turn: a failure of one object does not wait for thousands that have failed for hours.
const ADMITTED_PER_OLDEST: u32 = 2;

/// The limit of retries over all keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) rate: Rate,
    /// How long a retry that is due waits at most.
    pub(super) longest_wait: Duration,
}

/// A key that is retried.
pub(super) struct Retry<Q> {
    pub(super) key: Q,
    pub(super) priority: Priority,
    /// The number of failures.
    pub(super) failures: u32,
    /// The limit over all keys; `None` if it does not apply to this retry.
    pub(super) limit: Option<Limit>,
}

/// When a retry is due, and a number that makes it unique.
pub(super) type Due = (Duration, u64);

/// Retries until they are due, and then until the limit admits them.
///
/// A key takes no place before it is due, and leaves it when it is removed.
pub(super) struct Retries<Q> {
    group_of: GroupOf<Q>,
    delayed: BTreeMap<Due, Retry<Q>>,
    /// Those that are due.
    waiting: Turns<Retry<Q>>,
    /// The largest number of keys that waited since none did. It determines the rate, so that the key that waits behind all of
    /// these is admitted in time.
    most_waiting: u32,
    limit: Option<Limit>,
    pace: Pace,
    admitted: u32,
    last_number: u64,
}

impl<Q> Retries<Q> {
    pub(super) fn new(group_of: GroupOf<Q>) -> Self {
        Self {
            group_of,
            delayed: BTreeMap::new(),
            waiting: Turns::default(),
            most_waiting: 0,
            limit: None,
            pace: Pace::default(),
            admitted: 0,
            last_number: 0,
        }
    }

    pub(super) fn insert(&mut self, at: Duration, retry: Retry<Q>) -> Due {
        self.last_number += 1;
        let due = (at, self.last_number);
        self.delayed.insert(due, retry);
        due
    }

    pub(super) fn remove(&mut self, due: Due) {
        if self.delayed.remove(&due).is_none() {
            self.waiting.remove(due.1);
            self.reset_if_none_waits();
        }
    }

    /// Removes the next retry that is due and admitted.
    pub(super) fn pop(&mut self, now: Duration) -> Option<Retry<Q>> {
        while let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((_, number), retry) = entry.remove_entry();
            match retry.limit {
                Some(limit) => self.wait(number, retry, limit, now),
                None => return Some(retry),
            }
        }
        let rate = self.rate()?;
        self.pace.advance(rate, now, !self.waiting.is_empty());
        if self.waiting.is_empty() || !self.pace.take() {
            return None;
        }
        self.admit()
    }

    /// Returns when [`pop`](Self::pop) may return another retry.
    pub(super) fn next_at(&self) -> Option<Duration> {
        let due = self.delayed.first_key_value().map(|((due, _), _)| *due);
        let admitted = self.rate().filter(|_| !self.waiting.is_empty()).map(|rate| self.pace.next_at(rate));
        due.into_iter().chain(admitted).min()
    }

    /// Removes a retry because another one succeeded.
    pub(super) fn admit(&mut self) -> Option<Retry<Q>> {
        self.admitted = self.admitted.wrapping_add(1);
        let retry = match self.waiting.oldest() {
            Some(oldest) if self.admitted.is_multiple_of(ADMITTED_PER_OLDEST) => self.waiting.remove(oldest),
            _ => self.waiting.pop(),
        };
        self.reset_if_none_waits();
        retry
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.group_of);
    }

    fn wait(&mut self, number: u64, retry: Retry<Q>, limit: Limit, now: Duration) {
        // The tokens so far arrived at the rate so far.
        if let Some(rate) = self.rate() {
            self.pace.advance(rate, now, !self.waiting.is_empty());
        }
        self.limit = Some(limit);
        let (group, failures) = ((self.group_of)(&retry.key), retry.failures);
        self.waiting.insert(number, retry, group, failures);
        let waiting = u32::try_from(self.waiting.len()).unwrap_or(u32::MAX);
        self.most_waiting = self.most_waiting.max(waiting);
    }

    /// Returns the rate. It admits the key that has waited longest, each second time, so often that `most_waiting` keys are
    /// admitted within the longest wait.
    fn rate(&self) -> Option<Rate> {
        let Limit { rate, longest_wait } = self.limit?;
        let admissions = self.most_waiting.saturating_mul(ADMITTED_PER_OLDEST).max(1);
        Some(rate.at_least_every(longest_wait / admissions))
    }

    fn reset_if_none_waits(&mut self) {
        if self.waiting.is_empty() {
            self.most_waiting = 0;
        }
    }
}
