//! A persistent hash table.

use std::{iter, mem, ops::Range, sync::Arc};

use super::radix::Radix;

/// Maximum average number of entries in a bucket.
const FILL: usize = 8;

/// Number of entries by which a bucket grows.
const STEP: usize = 4;

/// A persistent hash table that grows and shrinks by one bucket at a time (linear hashing), so that the cost of
/// insertions is even. Clones share everything that has not changed since.
///
/// It stores the hashes of entries, and the caller decides which entries are equal.
#[derive(Clone)]
pub(super) struct PersistentTable<E> {
    buckets: Radix<Arc<Bucket<E>>>,
    /// The number of buckets, including empty ones.
    count: u32,
    len: usize,
    /// The number of entries when the buckets were last packed.
    packed: usize,
}

/// Entries with their hashes, and spare capacity.
pub(super) type Bucket<E> = [Option<(u32, E)>];

/// The position of an entry, valid until the next insertion or removal.
#[derive(Clone, Copy)]
pub(super) struct EntryPosition {
    bucket: u32,
    at: usize,
}

impl<E> PersistentTable<E> {
    pub(super) const fn new() -> Self {
        Self { buckets: Radix::new(), count: 1, len: 0, packed: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn find(&self, hash: u32, eq: impl Fn(&E) -> bool) -> Option<(EntryPosition, &E)> {
        let bucket = self.bucket_of(hash);
        let entries = self.buckets.get(bucket)?.iter().enumerate();
        entries
            .filter_map(|(at, entry)| Some((at, entry.as_ref()?)))
            .filter(|(_, (other, _))| *other == hash)
            .find(|(_, (_, entry))| eq(entry))
            .map(|(at, (_, entry))| (EntryPosition { bucket, at }, entry))
    }

    #[cfg(test)]
    fn iter(&self) -> impl Iterator<Item = &E> {
        let entries = self.buckets.iter().flat_map(|bucket| bucket.iter());
        entries.flatten().map(|(_, entry)| entry)
    }

    /// Returns the number of buckets to pack, if packing is worthwhile.
    pub(super) fn to_pack(&self) -> Option<u32> {
        (self.len >= 2 * self.packed.max(FILL)).then_some(self.count)
    }

    fn bucket_of(&self, hash: u32) -> u32 {
        let mask = self.count.next_power_of_two() - 1;
        match hash & mask {
            bucket if bucket < self.count => bucket,
            not_yet => not_yet & (mask >> 1),
        }
    }
}

impl<E: Clone> PersistentTable<E> {
    /// Returns a mutable reference to an entry.
    pub(super) fn at_mut(&mut self, place: EntryPosition) -> &mut E {
        let bucket = self.buckets.get_mut(place.bucket).expect("a bucket");
        let entry = Arc::make_mut(bucket)[place.at].as_mut();
        &mut entry.expect("an entry").1
    }

    /// Inserts a new entry.
    pub(super) fn insert(&mut self, hash: u32, entry: E) {
        self.push(self.bucket_of(hash), (hash, entry));
        self.len += 1;
        if self.len > self.count as usize * FILL {
            self.split();
        }
    }

    pub(super) fn remove(&mut self, place: EntryPosition) {
        let bucket = self.buckets.get_mut(place.bucket).expect("a bucket");
        let entries = Arc::make_mut(bucket);
        entries[place.at] = None;
        if entries.iter().all(Option::is_none) {
            self.buckets.remove(place.bucket);
        }
        self.len -= 1;
        self.packed = self.packed.min(self.len);
        if self.count > 1 && self.len < self.count as usize * FILL / 4 {
            self.merge();
        }
    }

    /// Moves a range of buckets next to each other in memory.
    ///
    /// Buckets are allocated one by one between large objects, so that each is on a page of its own. Resolving a page
    /// takes as long as reading from it.
    ///
    /// The old buckets are added to `scattered`. Drop them after all buckets are moved, otherwise new buckets would
    /// reuse their memory.
    pub(super) fn pack(&mut self, buckets: Range<u32>, scattered: &mut Vec<Arc<Bucket<E>>>) {
        for number in buckets.start..buckets.end.min(self.count) {
            if let Some(bucket) = self.buckets.get_mut(number) {
                let packed = match Arc::get_mut(bucket) {
                    Some(entries) => entries.iter_mut().map(Option::take).collect(),
                    None => bucket.iter().cloned().collect(),
                };
                scattered.push(mem::replace(bucket, packed));
            }
        }
        if buckets.end >= self.count {
            self.packed = self.len;
        }
    }

    /// Splits the next bucket into itself and a new one.
    fn split(&mut self) {
        let (from, to) = (split_source(self.count), self.count);
        self.count += 1;
        let (gone, left): (Vec<_>, Vec<_>) =
            self.take(from).into_iter().partition(|(hash, _)| self.bucket_of(*hash) == to);
        self.put(from, left);
        self.put(to, gone);
    }

    /// Merges the last bucket into the one that it was split from.
    fn merge(&mut self) {
        self.count -= 1;
        for entry in self.take(self.count) {
            self.push(split_source(self.count), entry);
        }
    }

    fn push(&mut self, bucket: u32, entry: (u32, E)) {
        let Some(known) = self.buckets.get_mut(bucket) else {
            return self.put(bucket, vec![entry]);
        };
        let entries = Arc::make_mut(known);
        match entries.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(entry),
            None => {
                let spare = iter::repeat_with(|| None).take(STEP - 1);
                let entries = entries.iter_mut().map(Option::take);
                *known = entries.chain([Some(entry)]).chain(spare).collect();
            }
        }
    }

    fn put(&mut self, bucket: u32, entries: Vec<(u32, E)>) {
        if !entries.is_empty() {
            let spare = entries.len().next_multiple_of(STEP) - entries.len();
            let entries = entries.into_iter().map(Some);
            let spare = iter::repeat_with(|| None).take(spare);
            self.buckets.insert(bucket, entries.chain(spare).collect());
        }
    }

    fn take(&mut self, bucket: u32) -> Vec<(u32, E)> {
        let mut entries = self.buckets.remove(bucket).unwrap_or_else(|| Arc::new([]));
        let entries = Arc::make_mut(&mut entries).iter_mut();
        entries.filter_map(Option::take).collect()
    }
}

/// Returns the number without its highest bit: the bucket that this one was split from.
fn split_source(bucket: u32) -> u32 {
    bucket & !(1 << bucket.ilog2())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn behaves_as_a_set_with_immutable_clones(steps in prop::collection::vec((0..20u8, 0..400u32), 0..2_000)) {
            let (mut table, mut set) = (PersistentTable::new(), BTreeSet::new());
            let mut clones = Vec::new();
            for (step, entry) in steps {
                // Many entries have the same hash.
                let hash = entry / 3;
                let place = table.find(hash, |other| *other == entry).map(|(place, _)| place);
                prop_assert_eq!(place.is_some(), set.contains(&entry));
                match place {
                    _ if step == 0 => clones.push((table.clone(), set.clone())),
                    _ if step == 1 => table.pack(0..u32::from(entry as u8), &mut Vec::new()),
                    Some(place) => {
                        *table.at_mut(place) = entry;
                        table.remove(place);
                        set.remove(&entry);
                    }
                    None => {
                        table.insert(hash, entry);
                        set.insert(entry);
                    }
                }
            }
            clones.push((table, set));
            for (table, set) in clones {
                prop_assert_eq!(table.len(), set.len());
                prop_assert_eq!(&table.iter().copied().collect::<BTreeSet<_>>(), &set);
                prop_assert_eq!(table.iter().count(), set.len());
            }
        }
    }

    #[test]
    fn buckets_follow_the_number_of_entries() {
        let mut table = PersistentTable::new();
        let hash = |entry: u32| entry.wrapping_mul(0x9e37_79b9).rotate_left(16);
        for entry in 0..10_000 {
            table.insert(hash(entry), entry);
        }
        assert_eq!(table.count, 1_250);
        assert_eq!(table.to_pack(), Some(1_250));
        table.pack(0..1_250, &mut Vec::new());
        assert_eq!(table.to_pack(), None);
        for entry in 0..10_000 {
            let (place, _) = table.find(hash(entry), |other| *other == entry).unwrap();
            table.remove(place);
        }
        assert_eq!((table.count, table.len), (1, 0));
    }
}
