//! Sets of slots. Small sets need no allocation.

use std::{iter, slice, sync::Arc};

use roaring::RoaringBitmap;

/// Slots that fit inline without making the enum larger.
const INLINE: usize = 5;

/// Maximum length of a list. Larger sets are smaller and faster to change as a bitmap. Smaller sets are faster to
/// iterate as a list.
const MAX_LIST_LEN: usize = 4_096;

/// Number of adjacent slots that are tried before a binary search.
const NEARBY: usize = 8;

#[derive(Clone)]
pub(super) enum SlotSet {
    /// The length, and the slots in ascending order.
    Inline(u8, [u32; INLINE]),
    /// In ascending order.
    List(Arc<Vec<u32>>),
    Bitmap(Arc<RoaringBitmap>),
}

impl SlotSet {
    pub(super) const EMPTY: Self = Self::Inline(0, [0; INLINE]);

    pub(super) fn one(slot: u32) -> Self {
        Self::Inline(1, [slot; INLINE])
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bitmap(slots) => slots.len() as usize,
            _ => self.list().len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        match self {
            Self::Bitmap(slots) => slots.contains(slot),
            _ => self.list().binary_search(&slot).is_ok(),
        }
    }

    /// Iterates over the slots in ascending order.
    pub(super) fn iter(&self) -> Iter<'_> {
        match self {
            Self::Bitmap(slots) => Iter::Bitmap(slots.iter()),
            _ => Iter::List(self.list().iter()),
        }
    }

    /// Returns what a function returns for each slot. The form is matched on once, and the length is known, so that nothing but the
    /// values is stored: with fewer instructions for each, the processor reads more objects at the same time.
    pub(super) fn map<T>(&self, value: impl Fn(u32) -> T) -> Vec<T> {
        match self {
            Self::Bitmap(slots) => slots.iter().map(value).collect(),
            _ => self.list().iter().copied().map(value).collect(),
        }
    }

    /// Returns the slots; empty if they are a bitmap.
    fn list(&self) -> &[u32] {
        match self {
            Self::Inline(len, slots) => &slots[..usize::from(*len)],
            Self::List(slots) => slots,
            Self::Bitmap(_) => &[],
        }
    }

    pub(super) fn insert(&mut self, slot: u32) {
        let position = self.list().binary_search(&slot);
        match (self, position) {
            (Self::Bitmap(slots), _) => _ = Arc::make_mut(slots).insert(slot),
            (_, Ok(_)) => {}
            (Self::Inline(len, slots), Err(at)) if usize::from(*len) < INLINE => {
                slots.copy_within(at..usize::from(*len), at + 1);
                slots[at] = slot;
                *len += 1;
            }
            (Self::List(slots), Err(at)) if slots.len() < MAX_LIST_LEN => {
                Arc::make_mut(slots).insert(at, slot);
            }
            (set, Err(at)) => {
                let (before, after) = set.list().split_at(at);
                let slots = before.iter().copied().chain(iter::once(slot));
                *set = Self::from_sorted(slots.chain(after.iter().copied()).collect());
            }
        }
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let position = self.list().binary_search(&slot);
        match (&mut *self, position) {
            (Self::Inline(len, slots), Ok(at)) => {
                slots.copy_within(at + 1..usize::from(*len), at);
                *len -= 1;
            }
            (Self::List(slots), Ok(at)) => _ = Arc::make_mut(slots).remove(at),
            (Self::Bitmap(slots), _) if slots.contains(slot) => {
                Arc::make_mut(slots).remove(slot);
            }
            _ => return,
        }
        // With hysteresis, so that a set that grows and shrinks by one is not rebuilt each time.
        let is_smaller = match self {
            Self::Inline(..) => false,
            Self::List(slots) => slots.len() <= INLINE / 2,
            Self::Bitmap(slots) => slots.len() as usize <= MAX_LIST_LEN / 2,
        };
        if is_smaller {
            *self = self.iter().collect();
        }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Bitmap(slots), Self::Bitmap(others)) => (&**slots & &**others).into(),
            (Self::Bitmap(_), _) => other.and(self),
            (_, Self::Bitmap(_)) => self.iter().filter(|slot| other.contains(*slot)).collect(),
            _ => self.split(other).0,
        }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Bitmap(slots), Self::Bitmap(others)) => (&**slots - &**others).into(),
            (Self::Bitmap(slots), _) => (&**slots - other.bitmap()).into(),
            (_, Self::Bitmap(_)) => self.iter().filter(|slot| !other.contains(*slot)).collect(),
            _ => self.split(other).1,
        }
    }

    /// Splits a list into the slots that another list contains, and the others.
    fn split(&self, other: &Self) -> (Self, Self) {
        let mut others = other.list();
        let (both, only): (Vec<_>, Vec<_>) = self.list().iter().partition(|slot| {
            let nearby = others.iter().take(NEARBY).position(|other| other >= *slot);
            let skip = nearby.unwrap_or_else(|| others.partition_point(|other| other < *slot));
            others = &others[skip..];
            others.first() == Some(*slot)
        });
        (Self::from_sorted(both), Self::from_sorted(only))
    }

    pub(super) fn bitmap(&self) -> RoaringBitmap {
        match self {
            Self::Bitmap(slots) => RoaringBitmap::clone(slots),
            _ => RoaringBitmap::from_sorted_iter(self.iter()).expect("slots are ascending"),
        }
    }

    /// Creates a set of ascending slots.
    fn from_sorted(slots: Vec<u32>) -> Self {
        match slots.len() {
            len @ 0..=INLINE => {
                let mut few = [0; INLINE];
                few[..len].copy_from_slice(&slots);
                Self::Inline(len as u8, few)
            }
            0..=MAX_LIST_LEN => Self::List(Arc::new(slots)),
            _ => {
                let slots = RoaringBitmap::from_sorted_iter(slots);
                Self::Bitmap(Arc::new(slots.expect("slots are ascending")))
            }
        }
    }
}

pub(super) enum Iter<'a> {
    List(slice::Iter<'a, u32>),
    Bitmap(roaring::bitmap::Iter<'a>),
}

impl Iterator for Iter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::List(slots) => slots.next().copied(),
            Self::Bitmap(slots) => slots.next(),
        }
    }
}

impl From<RoaringBitmap> for SlotSet {
    fn from(slots: RoaringBitmap) -> Self {
        match slots.len() as usize {
            0..=MAX_LIST_LEN => Self::from_sorted(slots.iter().collect()),
            _ => Self::Bitmap(Arc::new(slots)),
        }
    }
}

/// Requires ascending slots.
impl FromIterator<u32> for SlotSet {
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Self {
        Self::from_sorted(slots.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Sets with few or many slots, adjacent or apart.
    fn slots() -> impl Strategy<Value = BTreeSet<u32>> {
        let most = prop_oneof![0..8usize, 0..300usize, 3_000..6_000usize];
        let step = prop_oneof![Just(1u32), Just(3), Just(40)];
        (most, step, 0..50u32, prop::collection::btree_set(0..200_000u32, 0..40)).prop_map(
            |(most, step, first, others)| {
                let some = (0..most as u32).map(|at| first + at * step);
                some.chain(others).collect()
            },
        )
    }

    fn same(set: &SlotSet, slots: &BTreeSet<u32>) {
        assert!(set.iter().eq(slots.iter().copied()));
        assert_eq!(set.map(|slot| slot), slots.iter().copied().collect::<Vec<_>>());
        assert_eq!((set.len(), set.is_empty()), (slots.len(), slots.is_empty()));
        assert!((0..300).all(|slot| set.contains(slot) == slots.contains(&slot)));
        assert!(set.bitmap().iter().eq(slots.iter().copied()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn behaves_as_a_set_with_immutable_clones(
            start in slots(),
            steps in prop::collection::vec((0..300u32, any::<bool>()), 0..30),
        ) {
            let (mut set, mut slots): (SlotSet, _) = (start.iter().copied().collect(), start);
            let mut clones = Vec::new();
            for (slot, insert) in steps {
                clones.push((set.clone(), slots.clone()));
                if insert {
                    set.insert(slot);
                    slots.insert(slot);
                } else {
                    set.remove(slot);
                    slots.remove(&slot);
                }
            }
            clones.push((set, slots));
            for (set, slots) in &clones {
                same(set, slots);
            }
        }

        #[test]
        fn sets_are_combined(one in slots(), other in slots()) {
            let set = |slots: &BTreeSet<u32>| slots.iter().copied().collect::<SlotSet>();
            let (this, that) = (set(&one), set(&other));
            same(&this.and(&that), &(&one & &other));
            same(&this.minus(&that), &(&one - &other));
            same(&SlotSet::from(this.bitmap() | that.bitmap()), &(&one | &other));
        }
    }

    #[test]
    fn sets_grow_and_shrink_one_by_one() {
        let form = |set: &SlotSet| match set {
            SlotSet::Inline(..) => "few",
            SlotSet::List(_) => "listed",
            SlotSet::Bitmap(_) => "many",
        };
        let mut set = SlotSet::EMPTY;
        let mut forms = vec![form(&set)];
        let mut note = |set: &SlotSet| {
            if forms.last() != Some(&form(set)) {
                forms.push(form(set));
            }
        };
        for slot in 0..10_000 {
            set.insert(slot);
            assert_eq!(set.len(), slot as usize + 1);
            note(&set);
        }
        for slot in (0..10_000).rev() {
            set.remove(slot);
            assert_eq!(set.len(), slot as usize);
            note(&set);
        }
        assert_eq!(forms, ["few", "listed", "many", "listed", "few"]);
    }

    #[test]
    fn small_sets_are_small() {
        assert_eq!(size_of::<SlotSet>(), 24);
    }
}
