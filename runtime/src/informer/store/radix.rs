//! A persistent map from integers to values.

use std::{slice, sync::Arc};

/// The values of a leaf. A change copies the leaf if a clone shares it, and then counts a reference for each of its values.
pub(super) const LEAF: usize = 16;
/// The leaves of a branch. The root is a list of branches, so that a value is three steps away, with as many as a million of them too.
const BRANCH: usize = 64;

/// A persistent tree of dense numbers. A clone copies one pointer. A change copies the nodes on its path that a clone still shares.
#[derive(Clone)]
pub(super) struct Radix<T>(Arc<[Option<Arc<Branch<T>>>]>);

type Branch<T> = [Option<Arc<Leaf<T>>>; BRANCH];

/// The values of neighbouring numbers.
type Leaf<T> = [Option<T>; LEAF];

impl<T> Radix<T> {
    pub(super) fn new() -> Self {
        Self(Arc::new([]))
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let (branch, leaf, value) = path(number);
        self.0.get(branch)?.as_ref()?[leaf].as_ref()?[value].as_ref()
    }

    /// Iterates over all values, in the order of their numbers.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter { tree: self, next_leaf: 0, values: [].iter() }
    }
}

/// The values of a tree. Iterators in iterators would be several times as many functions to compile, for each kind of a program.
pub(super) struct Iter<'a, T> {
    tree: &'a Radix<T>,
    next_leaf: usize,
    /// What is left of the leaf before.
    values: slice::Iter<'a, Option<T>>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            for value in &mut self.values {
                if value.is_some() {
                    return value.as_ref();
                }
            }
            let branch = self.tree.0.get(self.next_leaf / BRANCH)?;
            self.values = match branch.as_ref().map(|branch| &branch[self.next_leaf % BRANCH]) {
                Some(Some(leaf)) => leaf.iter(),
                _ => [].iter(),
            };
            self.next_leaf += 1;
        }
    }
}

impl<T: Clone> Radix<T> {
    pub(super) fn insert(&mut self, number: u32, value: T) -> Option<T> {
        let (branch, leaf, place) = path(number);
        if branch >= self.0.len() {
            let mut branches = self.0.to_vec();
            branches.resize(branch + 1, None);
            self.0 = branches.into();
        }
        let branch = Arc::make_mut(&mut self.0)[branch].get_or_insert_with(|| Arc::new([const { None }; BRANCH]));
        let leaf = Arc::make_mut(branch)[leaf].get_or_insert_with(|| Arc::new([const { None }; LEAF]));
        Arc::make_mut(leaf)[place].replace(value)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.get(number)?;
        let (_, _, value) = path(number);
        self.leaf_mut(number)?[value].as_mut()
    }

    /// Copies the leaf of a number if a clone shares it.
    pub(super) fn unshare(&mut self, number: u32) {
        self.leaf_mut(number);
    }

    fn leaf_mut(&mut self, number: u32) -> Option<&mut Leaf<T>> {
        let (branch, leaf, _) = path(number);
        let branch = Arc::make_mut(&mut self.0).get_mut(branch)?.as_mut()?;
        Arc::make_mut(branch)[leaf].as_mut().map(Arc::make_mut)
    }

    /// Removes a value, and the nodes that are empty without it.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        self.get(number)?;
        let (branch, leaf, value) = path(number);
        let branch = &mut Arc::make_mut(&mut self.0)[branch];
        let leaves = Arc::make_mut(branch.as_mut()?);
        let values = Arc::make_mut(leaves[leaf].as_mut()?);
        let removed = values[value].take();
        if values.iter().all(Option::is_none) {
            leaves[leaf] = None;
            if leaves.iter().all(Option::is_none) {
                *branch = None;
            }
        }
        removed
    }
}

/// Returns the places of a number in the root, its branch and its leaf.
const fn path(number: u32) -> (usize, usize, usize) {
    let number = number as usize;
    (number / (LEAF * BRANCH), number / LEAF % BRANCH, number % LEAF)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..40u32, 0..5_000u32, 0..1_000_000u32]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn behaves_as_a_map_with_immutable_clones(steps in prop::collection::vec((0..4u8, number(), any::<u8>()), 0..200)) {
            let (mut tree, mut map) = (Radix::new(), BTreeMap::new());
            let mut clones = Vec::new();
            for (step, at, value) in steps {
                match step {
                    0 => clones.push((tree.clone(), map.clone())),
                    1 => prop_assert_eq!(tree.remove(at), map.remove(&at)),
                    _ => prop_assert_eq!(tree.insert(at, value), map.insert(at, value)),
                }
                if let Some(value) = tree.get_mut(at) {
                    *value = value.wrapping_add(1);
                    map.entry(at).and_modify(|value| *value = value.wrapping_add(1));
                }
                tree.unshare(at.wrapping_add(1));
                prop_assert_eq!(tree.get(at), map.get(&at));
            }
            clones.push((tree, map));
            for (tree, map) in clones {
                prop_assert!(tree.iter().eq(map.values()));
                prop_assert_eq!(tree.0.iter().all(Option::is_none), map.is_empty());
            }
        }
    }
}
