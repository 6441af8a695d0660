//! Which slots have a value.

use std::hash::{BuildHasher, Hash};

use hashbrown::DefaultHashBuilder;

use super::{
    persistent_table::{PersistentTable, Place},
    slot_set::SlotSet,
};

/// Hashes for state, other ones in each process, so that nobody can make names that collide.
#[derive(Clone, Default)]
pub(super) struct Hashes(DefaultHashBuilder);

impl Hashes {
    pub(super) fn of(&self, value: impl Hash) -> u32 {
        self.0.hash_one(value) as u32
    }
}

/// Values, each kept once, and the slots that have them.
#[derive(Clone)]
pub(super) struct Postings<V>(PersistentTable<(V, SlotSet)>);

impl<V: Clone> Postings<V> {
    pub(super) const fn new() -> Self {
        Self(PersistentTable::new())
    }

    pub(super) fn get(&self, hash: u32, is_it: impl Fn(&V) -> bool) -> Option<&SlotSet> {
        let (_, (_, slots)) = self.0.find(hash, |(value, _)| is_it(value))?;
        Some(slots)
    }

    /// Notes that the slot has the value, and returns the value as it is kept.
    pub(super) fn add(
        &mut self,
        hash: u32,
        slot: u32,
        is_it: impl Fn(&V) -> bool,
        value: impl FnOnce() -> V,
    ) -> V {
        if let Some(place) = self.place(hash, is_it) {
            let (value, slots) = self.0.at_mut(place);
            slots.insert(slot);
            return value.clone();
        }
        let value = value();
        self.0.insert(hash, (value.clone(), SlotSet::one(slot)));
        value
    }

    /// Notes that the slot no longer has the value.
    pub(super) fn remove(&mut self, hash: u32, slot: u32, is_it: impl Fn(&V) -> bool) {
        let Some(place) = self.place(hash, is_it) else {
            return;
        };
        let (_, slots) = self.0.at_mut(place);
        slots.remove(slot);
        if slots.is_empty() {
            self.0.remove(place);
        }
    }

    fn place(&self, hash: u32, is_it: impl Fn(&V) -> bool) -> Option<Place> {
        let found = self.0.find(hash, |(value, _)| is_it(value));
        found.map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_as_long_as_a_slot_has_them() {
        let (hashes, mut postings) = (Hashes::default(), Postings::<String>::new());
        let slots = |postings: &Postings<String>, value: &str| {
            let found = postings.get(hashes.of(value), |other| other == value);
            found.map(|slots| slots.iter().collect::<Vec<_>>())
        };
        for (slot, value) in [(1, "a"), (2, "b"), (3, "a"), (3, "a")] {
            postings.add(
                hashes.of(value),
                slot,
                |other| other == value,
                || value.to_owned(),
            );
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
