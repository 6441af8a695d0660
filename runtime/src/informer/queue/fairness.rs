//! Keys whose groups take turns.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

/// Keys by group. They have numbers in the order of their arrival.
pub(super) struct Turns<Q> {
    keys: BTreeMap<u64, GroupTurn<Q>>,
    groups: HashMap<u64, Group>,
    /// The groups by their next turn.
    order: BTreeMap<u64, u64>,
    last_turn: u64,
}

struct GroupTurn<Q> {
    key: Q,
    group: u64,
    rank: u32,
}

struct Group {
    turn: u64,
    /// The ranks and numbers of the keys.
    keys: BTreeSet<(u32, u64)>,
}

impl<Q> Default for Turns<Q> {
    fn default() -> Self {
        Self { keys: BTreeMap::new(), groups: HashMap::new(), order: BTreeMap::new(), last_turn: 0 }
    }
}

impl<Q> Turns<Q> {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds a key. In its group, the keys with the lowest rank are first, and those with the same rank by number.
    pub(super) fn insert(&mut self, number: u64, key: Q, group: u64, rank: u32) {
        let last_turn = &mut self.last_turn;
        let members = self.groups.entry(group).or_insert_with(|| {
            *last_turn += 1;
            self.order.insert(*last_turn, group);
            Group { turn: *last_turn, keys: BTreeSet::new() }
        });
        members.keys.insert((rank, number));
        self.keys.insert(number, GroupTurn { key, group, rank });
    }

    /// Removes the key with a number. The turn of its group remains.
    pub(super) fn remove(&mut self, number: u64) -> Option<Q> {
        let GroupTurn { key, group, rank } = self.keys.remove(&number)?;
        if let Some(members) = self.groups.get_mut(&group) {
            members.keys.remove(&(rank, number));
            if members.keys.is_empty() {
                self.order.remove(&members.turn);
                self.groups.remove(&group);
            }
        }
        Some(key)
    }

    /// Removes the first key of the group whose turn it is.
    pub(super) fn pop(&mut self) -> Option<Q> {
        let (_, group) = self.order.pop_first()?;
        let members = self.groups.get_mut(&group)?;
        self.last_turn += 1;
        members.turn = self.last_turn;
        self.order.insert(members.turn, group);
        let (_, number) = *members.keys.first()?;
        self.remove(number)
    }

    /// Returns the number of the key that arrived first.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.keys.first_key_value().map(|(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut turns: Turns<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| turns.pop()).collect()
    }

    #[test]
    fn the_lowest_rank_of_a_group_is_first() {
        let mut turns = Turns::default();
        for (number, (key, group, rank)) in [("a", 1, 2), ("b", 1, 1), ("c", 1, 1), ("d", 2, 9)].into_iter().enumerate()
        {
            turns.insert(number as u64, key, group, rank);
        }
        assert_eq!((turns.len(), turns.oldest()), (4, Some(0)));
        assert_eq!(all(turns), ["b", "d", "c", "a"]);
    }

    #[test]
    fn a_group_without_keys_leaves_nothing() {
        let mut turns = Turns::default();
        turns.insert(1, "a", 1, 0);
        turns.insert(2, "b", 2, 0);
        assert_eq!((turns.remove(1), turns.remove(1)), (Some("a"), None));
        assert_eq!((turns.groups.len(), turns.order.len()), (1, 1));
        assert_eq!((turns.pop(), turns.pop()), (Some("b"), None));
        assert!(turns.is_empty() && turns.groups.is_empty() && turns.order.is_empty());
    }
}
