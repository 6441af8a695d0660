//! Which objects are meant, from outside of the store.

use roaring::RoaringBitmap;

/// The place of an object in the store, its own as long as it is there; afterwards another object may have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(super) u32);

/// A set of places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slots(pub(super) RoaringBitmap);

impl Slots {
    pub(crate) fn insert(&mut self, slot: Slot) {
        self.0.insert(slot.0);
    }

    pub(crate) fn contains(&self, slot: Slot) -> bool {
        self.0.contains(slot.0)
    }

    pub(crate) fn minus(&self, others: &Self) -> Self {
        Self(&self.0 - &others.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Slot> {
        self.0.iter().map(Slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_marked_is_left() {
        let all = Slots((0..5).collect());
        let mut marked = Slots::default();
        for slot in [0, 2, 3] {
            marked.insert(Slot(slot));
        }
        assert!(all.minus(&marked).iter().eq([Slot(1), Slot(4)]));
        assert!(marked.minus(&all).iter().eq([]));
    }
}
