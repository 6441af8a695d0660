//! The index of labels.

use std::sync::Arc;

use super::{
    postings::{Hashes, Postings},
    slot_set::SlotSet,
};
use crate::informer::stored_object::Stored;

/// The slots of each label, and of each label key.
#[derive(Clone)]
pub(super) struct LabelIndex {
    pairs: Postings<Pair>,
    keys: Postings<Arc<str>>,
}

/// A label in one allocation.
#[derive(Clone)]
struct Pair {
    text: Arc<str>,
    key: usize,
}

impl Pair {
    fn new(key: &str, value: &str) -> Self {
        Self { text: [key, value].concat().into(), key: key.len() }
    }

    fn is(&self, key: &str, value: &str) -> bool {
        self.key == key.len() && self.text.split_at(self.key) == (key, value)
    }
}

impl LabelIndex {
    pub(super) fn new() -> Self {
        Self { pairs: Postings::new(), keys: Postings::new() }
    }

    pub(super) fn pair(&self, hashes: &Hashes, key: &str, value: &str) -> Option<&SlotSet> {
        let hash = hashes.of((key, value));
        self.pairs.get(hash, |pair| pair.is(key, value))
    }

    pub(super) fn key(&self, hashes: &Hashes, key: &str) -> Option<&SlotSet> {
        self.keys.get(hashes.of(key), |other| **other == *key)
    }

    /// Updates the index for a change of the object in a slot. `old` is `None` if it is new, `new` if it is removed.
    pub(super) fn update(&mut self, hashes: &Hashes, slot: u32, old: Option<&Stored>, new: Option<&Stored>) {
        let (old, new) = (labels(old), labels(new));
        if old == new {
            return;
        }
        for removed in only_in(&old, &new) {
            let Label { key, value, .. } = removed;
            let hash = hashes.of((key, value));
            self.pairs.remove(hash, slot, |pair| pair.is(key, value));
            if !removed.other_value {
                let eq = |other: &Arc<str>| **other == *key;
                self.keys.remove(hashes.of(key), slot, eq);
            }
        }
        for added in only_in(&new, &old) {
            self.add(hashes, slot, &added);
        }
    }

    fn add(&mut self, hashes: &Hashes, slot: u32, added: &Label<'_>) {
        let Label { key, value, .. } = *added;
        let hash = hashes.of((key, value));
        let eq = |pair: &Pair| pair.is(key, value);
        self.pairs.add(hash, slot, eq, || Pair::new(key, value));
        if !added.other_value {
            let eq = |other: &Arc<str>| **other == *key;
            self.keys.add(hashes.of(key), slot, eq, || key.into());
        }
    }
}

/// A label that only one of two states of an object has.
struct Label<'a> {
    key: &'a str,
    value: &'a str,
    /// The other state has the key, with another value.
    other_value: bool,
}

fn labels(object: Option<&Stored>) -> Vec<(&str, &str)> {
    object.map(|object| object.labels()).unwrap_or_default()
}

/// Returns the labels that only one state has. Labels are sorted by key.
fn only_in<'a>(these: &[(&'a str, &'a str)], others: &[(&'a str, &'a str)]) -> impl Iterator<Item = Label<'a>> {
    let mut others = others.iter().copied().peekable();
    let these = these.iter().copied();
    these.filter_map(move |(key, value)| {
        while others.next_if(|(other, _)| *other < key).is_some() {}
        let other = others.peek().filter(|(other, _)| *other == key);
        let label = |other_value| Label { key, value, other_value };
        match other {
            Some((_, other)) if *other == value => None,
            Some(_) => Some(label(true)),
            None => Some(label(false)),
        }
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use proptest::{collection::btree_map, prelude::*};

    use super::*;

    fn config(labels: &std::collections::BTreeMap<String, String>) -> ConfigMap {
        let mut config = ConfigMap::default();
        config.metadata.labels = Some(labels.clone());
        config
    }

    proptest! {
        #[test]
        fn matches_the_labels_after_every_change(states in prop::collection::vec(btree_map("[a-d]", "[ab]", 0..4), 1..8)) {
            let (hashes, mut index) = (Hashes::default(), LabelIndex::new());
            let mut old: Option<ConfigMap> = None;
            for labels in states {
                let new = config(&labels);
                index.update(&hashes, 7, old.as_ref().map(|old| old as &Stored), Some(&new));
                for key in ["a", "b", "c", "d"] {
                    let has_key = index.key(&hashes, key).is_some_and(|slots| slots.contains(7));
                    prop_assert_eq!(has_key, labels.contains_key(key));
                    for value in ["a", "b"] {
                        let has_pair = index.pair(&hashes, key, value).is_some();
                        prop_assert_eq!(has_pair, labels.get(key).is_some_and(|other| other == value));
                    }
                }
                old = Some(new);
            }
            index.update(&hashes, 7, old.as_ref().map(|old| old as &Stored), None);
            prop_assert!(["a", "b", "c", "d"].iter().all(|key| index.key(&hashes, key).is_none()));
        }
    }

    #[test]
    fn pairs_with_the_same_concatenation_differ() {
        assert!(Pair::new("ab", "c").is("ab", "c"));
        assert!(!Pair::new("ab", "c").is("a", "bc"));
        assert!(!Pair::new("é", "c").is("e", "c"));
    }
}
