//! References to objects in the store.

use roaring::RoaringBitmap;

/// The slot of an object in the store. After the object is removed, the slot may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(super) u32);

/// A set of slots.
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
    fn unmarked_slots_remain() {
        let all = Slots((0..5).collect());
        let mut marked = Slots::default();
        for slot in [0, 2, 3] {
            marked.insert(Slot(slot));
        }
        assert!(all.minus(&marked).iter().eq([Slot(1), Slot(4)]));
        assert!(marked.minus(&all).iter().eq([]));
    }
}
