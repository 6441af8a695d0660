//! The keys that can be claimed, in their order.

use std::collections::VecDeque;

use hashbrown::HashMap;

/// Which keys are claimed first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    /// The object of the key changed, or is retried.
    #[default]
    Changed,
    /// The object was listed at the start, or repeated by a resync.
    Listed,
}

/// The group of a key. Groups take turns, so that none starves the others.
pub(super) type GroupOf<Q> = fn(&Q) -> u64;

/// Keys in FIFO order within each group, by priority. A key may occur more than once: the caller skips what is outdated.
pub(super) struct ReadyKeys<Q> {
    group_of: GroupOf<Q>,
    /// Keys that are next.
    returned: VecDeque<Q>,
    changed: Turns<Q>,
    listed: Turns<Q>,
}

struct Turns<Q> {
    groups: HashMap<u64, VecDeque<Q>>,
    order: VecDeque<u64>,
}

impl<Q> ReadyKeys<Q> {
    pub(super) fn new(group_of: GroupOf<Q>) -> Self {
        Self { group_of, returned: VecDeque::new(), changed: Turns::default(), listed: Turns::default() }
    }

    pub(super) fn push(&mut self, key: Q, priority: Priority) {
        let group = (self.group_of)(&key);
        match priority {
            Priority::Changed => self.changed.push(group, key),
            Priority::Listed => self.listed.push(group, key),
        }
    }

    /// Adds a key that is next.
    pub(super) fn push_front(&mut self, key: Q) {
        self.returned.push_front(key);
    }

    pub(super) fn pop(&mut self) -> Option<(Q, Priority)> {
        if let Some(key) = self.returned.pop_front().or_else(|| self.changed.pop()) {
            return Some((key, Priority::Changed));
        }
        Some((self.listed.pop()?, Priority::Listed))
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.group_of);
    }
}

impl<Q> Default for Turns<Q> {
    fn default() -> Self {
        Self { groups: HashMap::new(), order: VecDeque::new() }
    }
}

impl<Q> Turns<Q> {
    fn push(&mut self, group: u64, key: Q) {
        let keys = self.groups.entry(group).or_default();
        if keys.is_empty() {
            self.order.push_back(group);
        }
        keys.push_back(key);
    }

    fn pop(&mut self) -> Option<Q> {
        let group = self.order.pop_front()?;
        let keys = self.groups.get_mut(&group)?;
        let key = keys.pop_front();
        match keys.is_empty() {
            true => drop(self.groups.remove(&group)),
            false => self.order.push_back(group),
        }
        key
    }
}
