//! Posting lists: the slots that have a value.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::DefaultHashBuilder;

use super::{persistent_table::PersistentTable, radix::Radix, slot_set::SlotSet};

/// The hash function of the store, with a random seed for each process, so that colliding names cannot be crafted.
#[derive(Clone, Default)]
pub(super) struct Hashes(DefaultHashBuilder);

impl Hashes {
    pub(super) fn of(&self, value: impl Hash) -> u32 {
        self.0.hash_one(value) as u32
    }

    /// Returns the hash of the key of an object. Shorter than that of a tuple: the less a get does, the sooner the processor begins to
    /// read the object of the next one.
    #[inline]
    pub(super) fn of_key(&self, namespace: Option<&str>, name: &str) -> u32 {
        let mut hasher = self.0.build_hasher();
        hasher.write(namespace.unwrap_or_default().as_bytes());
        hasher.write(name.as_bytes());
        hasher.finish() as u32
    }
}

/// Values and the slots that have them.
#[derive(Clone)]
pub(super) struct Postings<V> {
    /// The number of each value. They are those from 1 to the number of values.
    numbers: PersistentTable,
    values: Radix<Posting<V>>,
}

#[derive(Clone)]
struct Posting<V> {
    hash: u32,
    value: V,
    slots: SlotSet,
}

impl<V: Clone> Postings<V> {
    pub(super) fn new() -> Self {
        Self { numbers: PersistentTable::new(), values: Radix::new() }
    }

    pub(super) fn get(&self, hash: u32, eq: impl Fn(&V) -> bool) -> Option<&SlotSet> {
        let posting = self.values.get(self.number(hash, eq)?)?;
        Some(&posting.slots)
    }

    /// Adds a slot to a value, and returns the stored value.
    pub(super) fn add(&mut self, hash: u32, slot: u32, eq: impl Fn(&V) -> bool, value: impl FnOnce() -> V) -> V {
        let number = self.number(hash, eq);
        if let Some(posting) = number.and_then(|number| self.values.get_mut(number)) {
            posting.slots.insert(slot);
            return posting.value.clone();
        }
        let value = value();
        let number = self.last() + 1;
        self.values.insert(number, Posting { hash, value: value.clone(), slots: SlotSet::one(slot) });
        self.numbers.insert(hash, number);
        value
    }

    /// Removes a slot from a value.
    pub(super) fn remove(&mut self, hash: u32, slot: u32, eq: impl Fn(&V) -> bool) {
        let Some(number) = self.number(hash, eq) else { return };
        let posting = self.values.get_mut(number).expect("the number has a value");
        posting.slots.remove(slot);
        if posting.slots.is_empty() {
            self.remove_value(hash, number);
        }
    }

    /// Removes a value. The last one gets its number, so that numbers stay dense.
    fn remove_value(&mut self, hash: u32, number: u32) {
        let last = self.last();
        let moved = self.values.remove(last).expect("the last number has a value");
        self.numbers.remove(hash, number);
        if number != last {
            self.numbers.remove(moved.hash, last);
            self.numbers.insert(moved.hash, number);
            self.values.insert(number, moved);
        }
    }

    fn last(&self) -> u32 {
        self.numbers.len() as u32
    }

    fn number(&self, hash: u32, eq: impl Fn(&V) -> bool) -> Option<u32> {
        self.numbers.find(hash, |number| self.values.get(number).is_some_and(|posting| eq(&posting.value)))
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
        for (slot, value) in [(1, "a"), (2, "b"), (3, "a"), (3, "a"), (4, "c")] {
            postings.add(hashes.of(value), slot, |other| other == value, || value.to_owned());
        }
        assert_eq!(slots(&postings, "a"), Some(vec![1, 3]));
        for (slot, value) in [(1, "a"), (2, "b"), (2, "b"), (5, "c")] {
            postings.remove(hashes.of(value), slot, |other| other == value);
        }
        assert_eq!(slots(&postings, "a"), Some(vec![3]));
        assert_eq!(slots(&postings, "b"), None);
        assert_eq!(slots(&postings, "c"), Some(vec![4]));
        assert_eq!(postings.values.iter().count(), 2);
    }
}
