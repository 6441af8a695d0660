//! Posting lists: the slots that have a value.

use std::hash::{BuildHasher, Hash};

use hashbrown::DefaultHashBuilder;

use super::{
    persistent_table::{EntryPosition, PersistentTable},
    slot_set::SlotSet,
};

/// The hash function of the store, with a random seed for each process, so that colliding names cannot be crafted.
#[derive(Clone, Default)]
pub(super) struct Hashes(DefaultHashBuilder);

impl Hashes {
    pub(super) fn of(&self, value: impl Hash) -> u32 {
        self.0.hash_one(value) as u32
    }
}

/// Values and the slots that have them.
#[derive(Clone)]
pub(super) struct Postings<V>(PersistentTable<(V, SlotSet)>);

impl<V: Clone> Postings<V> {
    pub(super) const fn new() -> Self {
        Self(PersistentTable::new())
    }

    pub(super) fn get(&self, hash: u32, eq: impl Fn(&V) -> bool) -> Option<&SlotSet> {
        let (_, (_, slots)) = self.0.find(hash, |(value, _)| eq(value))?;
        Some(slots)
    }

    /// Adds a slot to a value, and returns the stored value.
    pub(super) fn add(&mut self, hash: u32, slot: u32, eq: impl Fn(&V) -> bool, value: impl FnOnce() -> V) -> V {
        if let Some(place) = self.place(hash, eq) {
            let (value, slots) = self.0.at_mut(place);
            slots.insert(slot);
            return value.clone();
        }
        let value = value();
        self.0.insert(hash, (value.clone(), SlotSet::one(slot)));
        value
    }

    /// Removes a slot from a value.
    pub(super) fn remove(&mut self, hash: u32, slot: u32, eq: impl Fn(&V) -> bool) {
        let Some(place) = self.place(hash, eq) else {
            return;
        };
        let (_, slots) = self.0.at_mut(place);
        slots.remove(slot);
        if slots.is_empty() {
            self.0.remove(place);
        }
    }

    fn place(&self, hash: u32, eq: impl Fn(&V) -> bool) -> Option<EntryPosition> {
        let found = self.0.find(hash, |(value, _)| eq(value));
        found.map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_removed_with_their_last_slot() {
        let (hashes, mut postings) = (Hashes::default(), Postings::<String>::new());
        let slots = |postings: &Postings<String>, value: &str| {
            let found = postings.get(hashes.of(value), |other| other == value);
            found.map(|slots| slots.iter().collect::<Vec<_>>())
        };
        for (slot, value) in [(1, "a"), (2, "b"), (3, "a"), (3, "a")] {
            postings.add(hashes.of(value), slot, |other| other == value, || value.to_owned());
        }
        assert_eq!(slots(&postings, "a"), Some(vec![1, 3]));
        for (slot, value) in [(1, "a"), (2, "b"), (2, "b"), (5, "c")] {
            postings.remove(hashes.of(value), slot, |other| other == value);
        }
        assert_eq!(slots(&postings, "a"), Some(vec![3]));
        assert_eq!(slots(&postings, "b"), None);
        assert_eq!(postings.0.len(), 1);
    }
}
