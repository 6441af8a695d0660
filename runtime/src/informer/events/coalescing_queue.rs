//! Coalesced changes for a slow subscriber: at most two for each object.

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    mem,
    sync::Arc,
};

use hashbrown::{HashTable, hash_table::Entry as Place};

use super::{
    buffer::DeferredDrop,
    notification::Notification,
    pending_change::{MergedChange, PendingChange},
};
use crate::informer::{Event, stored_object::Stored};

/// The queue is not compacted below this number of holes.
const MIN_HOLES: usize = 64;

/// A queue in which an object has the position of its oldest undelivered change, so that an object that changes all the
/// time is not starved.
pub(super) struct CoalescingQueue {
    slots: VecDeque<Slot>,
    /// The position of the first slot. Positions are never reused.
    first: u64,
    holes: usize,
    /// The position of the newest change of each object.
    newest: HashTable<u64>,
    hasher: RandomState,
    coalesced: u64,
}

enum Slot {
    Hole,
    Synced,
    Change(PendingKey),
}

struct PendingKey {
    change: PendingChange,
    hash: u64,
    /// The position of the deletion of an earlier object with this name.
    before: Option<u64>,
}

impl CoalescingQueue {
    pub(super) fn new() -> Self {
        Self {
            slots: VecDeque::new(),
            first: 0,
            holes: 0,
            newest: HashTable::new(),
            hasher: RandomState::new(),
            coalesced: 0,
        }
    }

    /// Returns the number of buffered changes.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.holes
    }

    /// Returns the number of events that were merged into others.
    pub(super) fn coalesced(&self) -> u64 {
        self.coalesced
    }

    /// Adds an event, merging it with the buffered changes of its object.
    ///
    /// The caller may hold a lock, and must drop the deferred objects after releasing it.
    pub(super) fn push(&mut self, notification: &Notification, deferred: &mut Vec<Arc<Stored>>) {
        let Some(change) = PendingChange::from_notification(notification) else {
            return self.slots.push_back(Slot::Synced);
        };
        let hash = self.hash(&**change.object());
        match self.find(hash, &**change.object()) {
            Some(position) => self.merge(position, change, deferred),
            None => self.append(hash, change),
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Event<Stored>, DeferredDrop)> {
        while let Some(slot) = self.slots.pop_front() {
            let position = self.first;
            self.first += 1;
            match slot {
                Slot::Hole => self.holes -= 1,
                Slot::Synced => return Some((Event::Synced, DeferredDrop::Nothing)),
                Slot::Change(entry) => {
                    self.unindex(entry.hash, position);
                    return Some(entry.change.into_event());
                }
            }
        }
        None
    }

    fn hash(&self, object: &Stored) -> u64 {
        self.hasher.hash_one((object.namespace(), object.name()))
    }

    fn find(&self, hash: u64, object: &Stored) -> Option<u64> {
        let eq = |position: &u64| has_key_of(entry(&self.slots, self.first, *position), object);
        self.newest.find(hash, eq).copied()
    }

    fn merge(&mut self, position: u64, later: PendingChange, deferred: &mut Vec<Arc<Stored>>) {
        let slot = &mut self.slots[index(self.first, position)];
        let Slot::Change(PendingKey { change, hash, before }) = mem::replace(slot, Slot::Hole) else {
            unreachable!("the index points to a change");
        };
        deferred.push(change.object().clone());
        let rebuild = |change| Slot::Change(PendingKey { change, hash, before });
        match change.merge(later) {
            MergedChange::One(change) => {
                *slot = rebuild(change);
                self.coalesced += 1;
            }
            MergedChange::Two(change, later) => {
                *slot = rebuild(change);
                self.append(hash, later);
            }
            MergedChange::Nothing => {
                self.holes += 1;
                self.coalesced += 2;
                self.remove_hole(hash, position, before);
            }
        }
    }

    fn append(&mut self, hash: u64, change: PendingChange) {
        let Self { slots, first, .. } = self;
        let position = *first + slots.len() as u64;
        let eq = |other: &u64| has_key_of(entry(slots, *first, *other), &**change.object());
        let hash_of = |other: &u64| entry(slots, *first, *other).hash;
        let before = match self.newest.entry(hash, eq, hash_of) {
            Place::Occupied(mut place) => Some(mem::replace(place.get_mut(), position)),
            Place::Vacant(place) => {
                place.insert(position);
                None
            }
        };
        slots.push_back(Slot::Change(PendingKey { change, hash, before }));
    }

    /// Removes a change that left a hole from the index.
    fn remove_hole(&mut self, hash: u64, position: u64, before: Option<u64>) {
        match before.filter(|before| *before >= self.first) {
            Some(before) => {
                let newest = self.newest.find_mut(hash, |other| *other == position);
                *newest.expect("a buffered change is in the index") = before;
            }
            None => self.unindex(hash, position),
        }
        if self.holes > MIN_HOLES.max(self.slots.len() / 2) {
            self.compact();
        }
    }

    /// Removes a change from the index, unless its object has a newer one.
    fn unindex(&mut self, hash: u64, position: u64) {
        let place = self.newest.find_entry(hash, |other| *other == position);
        if let Ok(place) = place {
            place.remove();
        }
    }

    fn compact(&mut self) {
        self.newest.clear();
        self.holes = 0;
        for slot in mem::take(&mut self.slots) {
            match slot {
                Slot::Hole => {}
                Slot::Synced => self.slots.push_back(Slot::Synced),
                Slot::Change(entry) => self.append(entry.hash, entry.change),
            }
        }
    }
}

fn index(first: u64, position: u64) -> usize {
    (position - first) as usize
}

fn entry(slots: &VecDeque<Slot>, first: u64, position: u64) -> &PendingKey {
    match &slots[index(first, position)] {
        Slot::Change(entry) => entry,
        _ => unreachable!("the index points to a change"),
    }
}

fn has_key_of(entry: &PendingKey, object: &Stored) -> bool {
    let other: &Arc<Stored> = entry.change.object();
    other.name() == object.name() && other.namespace() == object.namespace()
}

#[cfg(test)]
impl CoalescingQueue {
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }
}
