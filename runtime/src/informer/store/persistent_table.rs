//! A persistent hash table of numbers.

use std::sync::Arc;

use super::radix::Radix;

/// Maximum average number of entries of a bucket.
const FILL: usize = 8;

/// Entries of a bucket that are compared at once.
const WIDTH: usize = 16;

/// A persistent hash table that grows and shrinks by one bucket at a time (linear hashing), so that the cost of
/// insertions is even. Clones share everything that has not changed since.
///
/// It contains numbers, from 1, and their hashes. The caller decides which number is meant.
#[derive(Clone)]
pub(super) struct PersistentTable {
    buckets: Radix<Bucket>,
    /// The number of buckets, including empty ones.
    count: u32,
    len: usize,
}

#[derive(Clone, Default)]
struct Bucket {
    hashes: [u32; WIDTH],
    /// 0 in free places.
    numbers: [u32; WIDTH],
    /// What has no place here.
    overflow: Option<Arc<Self>>,
}

impl PersistentTable {
    pub(super) fn new() -> Self {
        Self { buckets: Radix::new(), count: 1, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn find(&self, hash: u32, mut is_meant: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut bucket = self.buckets.get(self.bucket_of(hash))?;
        loop {
            let mut matches = bucket.matches(hash);
            while matches != 0 {
                let number = bucket.numbers[matches.trailing_zeros() as usize % WIDTH];
                if number != 0 && is_meant(number) {
                    return Some(number);
                }
                matches &= matches - 1;
            }
            bucket = bucket.overflow.as_deref()?;
        }
    }

    pub(super) fn insert(&mut self, hash: u32, number: u32) {
        self.push(hash, number);
        self.len += 1;
        if self.len > self.count as usize * FILL {
            self.split();
        }
    }

    /// Removes a number that the table contains.
    pub(super) fn remove(&mut self, hash: u32, number: u32) {
        let at = self.bucket_of(hash);
        let bucket = self.buckets.get_mut(at).expect("a bucket");
        bucket.remove(number);
        if bucket.is_empty() {
            self.buckets.remove(at);
        }
        self.len -= 1;
        if self.count > 1 && self.len < self.count as usize * FILL / 4 {
            self.merge();
        }
    }

    /// Copies the bucket of an entry, one of evenly many for each, if a clone shares it.
    pub(super) fn unshare(&mut self, entry: u32) {
        self.buckets.unshare(entry / FILL as u32);
    }

    /// Splits the next bucket into itself and a new one.
    fn split(&mut self) {
        let from = split_source(self.count);
        self.count += 1;
        self.redistribute(from);
    }

    /// Merges the last bucket into the one that it was split from.
    fn merge(&mut self) {
        self.count -= 1;
        self.redistribute(self.count);
    }

    fn redistribute(&mut self, bucket: u32) {
        let bucket = self.buckets.remove(bucket);
        bucket.iter().flat_map(Bucket::entries).for_each(|(hash, number)| self.push(hash, number));
    }

    fn push(&mut self, hash: u32, number: u32) {
        let at = self.bucket_of(hash);
        if self.buckets.get(at).is_none() {
            self.buckets.insert(at, Bucket::default());
        }
        self.buckets.get_mut(at).expect("a bucket").push(hash, number);
    }

    #[inline]
    fn bucket_of(&self, hash: u32) -> u32 {
        let mask = self.count.next_power_of_two() - 1;
        let bucket = hash & mask;
        if bucket < self.count { bucket } else { bucket & (mask >> 1) }
    }
}

impl Bucket {
    /// Returns a bit for each place with a hash. Without a branch for each, so that the processor guesses none of them wrong, and so
    /// that several are compared at once.
    #[inline]
    fn matches(&self, hash: u32) -> u32 {
        let matches = self.hashes.iter().enumerate().map(|(at, other)| u32::from(*other == hash) << at);
        matches.fold(0, |all, one| all | one)
    }

    fn push(&mut self, hash: u32, number: u32) {
        match self.numbers.iter().position(|number| *number == 0) {
            Some(free) => (self.hashes[free], self.numbers[free]) = (hash, number),
            None => Arc::make_mut(self.overflow.get_or_insert_default()).push(hash, number),
        }
    }

    fn remove(&mut self, number: u32) {
        if let Some(at) = self.numbers.iter().position(|other| *other == number) {
            self.numbers[at] = 0;
            return;
        }
        let overflow = Arc::make_mut(self.overflow.as_mut().expect("the number is in the bucket"));
        overflow.remove(number);
        if overflow.is_empty() {
            self.overflow = None;
        }
    }

    fn is_empty(&self) -> bool {
        self.overflow.is_none() && self.numbers == [0; WIDTH]
    }

    fn entries(&self) -> impl Iterator<Item = (u32, u32)> {
        let buckets = std::iter::successors(Some(self), |bucket| bucket.overflow.as_deref());
        let entries = buckets.flat_map(|bucket| bucket.hashes.into_iter().zip(bucket.numbers));
        entries.filter(|(_, number)| *number != 0)
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

    fn numbers(table: &PersistentTable) -> Vec<u32> {
        let mut numbers: Vec<_> = table.buckets.iter().flat_map(Bucket::entries).map(|(_, number)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn behaves_as_a_set_with_immutable_clones(
            same_hash in prop_oneof![Just(1u32), Just(3), Just(50)],
            steps in prop::collection::vec((0..20u8, 1..400u32), 0..2_000),
        ) {
            let (mut table, mut set) = (PersistentTable::new(), BTreeSet::new());
            let mut clones = Vec::new();
            for (step, number) in steps {
                // With many numbers of one hash, buckets overflow.
                let hash = number / same_hash;
                let found = table.find(hash, |other| other == number);
                prop_assert_eq!(found, set.get(&number).copied());
                if step == 0 {
                    clones.push((table.clone(), set.clone()));
                } else if found.is_some() {
                    table.remove(hash, number);
                    set.remove(&number);
                } else {
                    table.insert(hash, number);
                    set.insert(number);
                }
            }
            clones.push((table, set));
            for (table, set) in clones {
                prop_assert_eq!(table.len(), set.len());
                prop_assert_eq!(numbers(&table), set.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn buckets_follow_the_number_of_entries() {
        let mut table = PersistentTable::new();
        let hash = |number: u32| number.wrapping_mul(0x9e37_79b9).rotate_left(16);
        for number in 1..=10_000 {
            table.insert(hash(number), number);
        }
        assert_eq!(table.count, 1_250);
        for number in 1..=10_000 {
            assert_eq!(table.find(hash(number), |other| other == number), Some(number));
            table.remove(hash(number), number);
        }
        assert_eq!((table.count, table.len, table.buckets.iter().count()), (1, 0, 0));
    }
}
