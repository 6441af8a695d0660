//! A persistent map from integers to values.

use std::{iter, sync::Arc};

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

/// A persistent radix tree. A clone copies one pointer. A change copies the nodes on its path that a clone still
/// shares.
#[derive(Clone)]
pub(super) struct Radix<T> {
    root: Option<Arc<RadixNode<T>>>,
    /// The number of levels of branches above the leaves.
    height: u32,
}

/// The values of `WIDTH` neighbouring numbers.
pub(super) type Leaf<T> = [Option<T>; WIDTH];

#[derive(Clone)]
enum RadixNode<T> {
    Branch([Option<Arc<Self>>; WIDTH]),
    Leaf(Leaf<T>),
}

impl<T> Radix<T> {
    pub(super) const fn new() -> Self {
        Self { root: None, height: 0 }
    }

    pub(super) fn get(&self, at: u32) -> Option<&T> {
        self.leaf(at)?[place(at, 0)].as_ref()
    }

    /// Returns the leaf of a number, if it exists.
    fn leaf(&self, at: u32) -> Option<&Leaf<T>> {
        if !self.fits(at) {
            return None;
        }
        let mut level = self.height;
        let mut node = self.root.as_deref()?;
        loop {
            match node {
                RadixNode::Branch(children) => node = children[place(at, level)].as_deref()?,
                RadixNode::Leaf(values) => return Some(values),
            }
            level -= 1;
        }
    }

    /// Returns the existing values of ascending numbers.
    pub(super) fn at_all(&self, numbers: impl Iterator<Item = u32>) -> impl Iterator<Item = &T> {
        // Adjacent numbers are in the same leaf.
        let mut near = (u32::MAX, None);
        numbers.filter_map(move |at| {
            if near.0 != at >> BITS {
                near = (at >> BITS, self.leaf(at));
            }
            near.1?[place(at, 0)].as_ref()
        })
    }

    /// Iterates over all values, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let root = self.root.as_deref().into_iter();
        let mut branches: Vec<_> = root.map(|node| Children::of(node)).collect();
        let leaves = iter::from_fn(move || {
            loop {
                match branches.last_mut()?.next() {
                    Some(RadixNode::Leaf(values)) => return Some(values),
                    Some(branch) => branches.push(Children::of(branch)),
                    None => drop(branches.pop()),
                }
            }
        });
        leaves.flat_map(|values| values.iter().flatten())
    }

    fn fits(&self, at: u32) -> bool {
        u64::from(at) >> (BITS * (self.height + 1)) == 0
    }
}

/// The children of a branch, or a leaf itself.
enum Children<'a, T> {
    Branch(std::slice::Iter<'a, Option<Arc<RadixNode<T>>>>),
    Leaf(Option<&'a RadixNode<T>>),
}

impl<'a, T> Children<'a, T> {
    fn of(node: &'a RadixNode<T>) -> Self {
        match node {
            RadixNode::Branch(children) => Self::Branch(children.iter()),
            RadixNode::Leaf(_) => Self::Leaf(Some(node)),
        }
    }

    fn next(&mut self) -> Option<&'a RadixNode<T>> {
        match self {
            Self::Branch(children) => children.by_ref().flatten().next().map(|child| &**child),
            Self::Leaf(leaf) => leaf.take(),
        }
    }
}

impl<T: Clone> Radix<T> {
    pub(super) fn insert(&mut self, at: u32, value: T) -> Option<T> {
        self.slot(at).replace(value)
    }

    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.get(at)?;
        self.slot(at).as_mut()
    }

    pub(super) fn remove(&mut self, at: u32) -> Option<T> {
        self.get(at)?;
        take(&mut self.root, self.height, at)
    }

    fn slot(&mut self, at: u32) -> &mut Option<T> {
        while !self.fits(at) {
            self.grow();
        }
        let mut level = self.height;
        let mut node = &mut self.root;
        loop {
            match Arc::make_mut(node.get_or_insert_with(|| Arc::new(RadixNode::empty(level)))) {
                RadixNode::Branch(children) => node = &mut children[place(at, level)],
                RadixNode::Leaf(values) => return &mut values[place(at, 0)],
            }
            level -= 1;
        }
    }

    fn grow(&mut self) {
        self.height += 1;
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; WIDTH];
            children[0] = Some(root);
            self.root = Some(Arc::new(RadixNode::Branch(children)));
        }
    }
}

/// Removes a value, and the nodes that are empty without it.
fn take<T: Clone>(node: &mut Option<Arc<RadixNode<T>>>, level: u32, at: u32) -> Option<T> {
    let inner = Arc::make_mut(node.as_mut()?);
    let taken = match inner {
        RadixNode::Branch(children) => take(&mut children[place(at, level)], level - 1, at),
        RadixNode::Leaf(values) => values[place(at, 0)].take(),
    };
    if inner.is_empty() {
        *node = None;
    }
    taken
}

impl<T> RadixNode<T> {
    fn empty(level: u32) -> Self {
        match level {
            0 => Self::Leaf([const { None }; WIDTH]),
            _ => Self::Branch([const { None }; WIDTH]),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Branch(children) => children.iter().all(Option::is_none),
            Self::Leaf(values) => values.iter().all(Option::is_none),
        }
    }
}

fn place(at: u32, level: u32) -> usize {
    (at >> (BITS * level)) as usize % WIDTH
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0..40u32, 0..5_000u32, any::<u32>()]
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
                prop_assert_eq!(tree.get(at), map.get(&at));
            }
            clones.push((tree, map));
            for (tree, map) in clones {
                prop_assert!(tree.iter().eq(map.values()));
                let numbers = map.keys().flat_map(|at| [*at, at.saturating_add(1)]);
                let found = numbers.clone().filter_map(|at| map.get(&at));
                prop_assert!(tree.at_all(numbers).eq(found));
                prop_assert_eq!(tree.root.is_none(), map.is_empty());
            }
        }
    }
}
