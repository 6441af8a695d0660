//! The objects and their indexes, as one value that is cheap to clone.

use std::{hint::black_box, ops::Range, sync::Arc};

use roaring::RoaringBitmap;

use super::{
    erased_index::{self, ErasedIndex},
    fingerprint::Fingerprint,
    index::{AnyIndex, AnyRow},
    key_text::KeyText,
    labels::LabelIndex,
    object_table::ObjectTable,
    persistent_table::PersistentTable,
    postings::{Hashes, Postings},
    radix::{LEAF, Radix},
    slot_set::SlotSet,
};
use crate::informer::{CacheObject, stored_object::Stored};

/// The objects and their indexes. Each object has a slot, which the indexes refer to. Clones share everything that has
/// not changed since.
#[derive(Clone)]
pub(super) struct StoreState {
    pub(super) hashes: Hashes,
    pub(super) objects: ObjectTable,
    keys: Radix<KeyText>,
    fingerprints: Radix<Fingerprint>,
    /// The slots by the hashes of keys.
    slots: PersistentTable,
    /// Slots below `end` without an object. Slots start at 1, as the table of hashes demands.
    free: Arc<RoaringBitmap>,
    end: u32,
    /// The number of objects when they were last packed.
    packed: usize,
    namespaces: Postings<Arc<str>>,
    pub(super) labels: LabelIndex,
    owners: Postings<Arc<str>>,
    pub(super) indexes: Vec<Arc<dyn ErasedIndex>>,
}

impl StoreState {
    pub(super) fn new(hashes: Hashes, indexes: &[AnyIndex]) -> Self {
        Self {
            hashes,
            objects: ObjectTable::new(),
            keys: Radix::new(),
            fingerprints: Radix::new(),
            slots: PersistentTable::new(),
            free: Arc::default(),
            end: 1,
            packed: 0,
            namespaces: Postings::new(),
            labels: LabelIndex::new(),
            owners: Postings::new(),
            indexes: indexes.iter().map(empty_index).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns an object with its type.
    pub(super) fn find<K: CacheObject>(&self, namespace: Option<&str>, name: &str) -> Option<&Arc<K>> {
        let objects = self.objects.typed()?;
        let mut object = None;
        self.slots.find(self.hashes.of_key(namespace, name), |slot| {
            object = objects.get(slot);
            // The processor loads the reference count while the keys are compared.
            if let Some(object) = object {
                black_box(Arc::strong_count(object));
            }
            self.has_key(slot, namespace, name)
        })?;
        object
    }

    pub(super) fn slot(&self, namespace: Option<&str>, name: &str) -> Option<u32> {
        self.slot_hashed(self.hashes.of_key(namespace, name), namespace, name)
    }

    pub(super) fn slot_hashed(&self, hash: u32, namespace: Option<&str>, name: &str) -> Option<u32> {
        self.slots.find(hash, |slot| self.has_key(slot, namespace, name))
    }

    #[inline]
    fn has_key(&self, slot: u32, namespace: Option<&str>, name: &str) -> bool {
        self.keys.get(slot).is_some_and(|key| key.is(namespace, name))
    }

    pub(super) fn fingerprint(&self, slot: u32) -> Fingerprint {
        self.fingerprints.get(slot).copied().unwrap_or_default()
    }

    pub(super) fn all(&self) -> RoaringBitmap {
        let mut all = RoaringBitmap::new();
        all.insert_range(1..self.end);
        all - &*self.free
    }

    pub(super) fn in_namespace(&self, namespace: &str) -> Option<&SlotSet> {
        let eq = |other: &Arc<str>| **other == *namespace;
        self.namespaces.get(self.hashes.of(namespace), eq)
    }

    pub(super) fn owned_by(&self, uid: &str) -> Option<&SlotSet> {
        let eq = |other: &Arc<str>| **other == *uid;
        self.owners.get(self.hashes.of(uid), eq)
    }

    /// Inserts a new object.
    pub(super) fn insert(
        &mut self,
        key_hash: u32,
        object: Arc<Stored>,
        fingerprint: Fingerprint,
        rows: Vec<AnyRow>,
    ) -> u32 {
        let slot = self.allocate_slot();
        self.slots.insert(key_hash, slot);
        self.keys.insert(slot, KeyText::new(object.namespace(), object.name()));
        if let Some(namespace) = object.namespace() {
            let hash = self.hashes.of(namespace);
            let eq = |other: &Arc<str>| **other == *namespace;
            self.namespaces.add(hash, slot, eq, || namespace.into());
        }
        self.put(slot, object, fingerprint, rows);
        slot
    }

    /// Sets the object of a slot, and returns the previous one.
    pub(super) fn put(
        &mut self,
        slot: u32,
        object: Arc<Stored>,
        fingerprint: Fingerprint,
        rows: Vec<AnyRow>,
    ) -> Option<Arc<Stored>> {
        let old = self.objects.insert(slot, object.clone());
        self.fingerprints.insert(slot, fingerprint);
        self.update_indexes(slot, old.as_deref(), Some(&*object), rows);
        old
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<Arc<Stored>> {
        let old = self.objects.remove(slot)?;
        self.keys.remove(slot);
        self.fingerprints.remove(slot);
        self.slots.remove(self.hashes.of_key(old.namespace(), old.name()), slot);
        if let Some(namespace) = old.namespace() {
            let eq = |other: &Arc<str>| **other == *namespace;
            self.namespaces.remove(self.hashes.of(namespace), slot, eq);
        }
        let rows = self.indexes.iter().map(|_| None).collect();
        self.update_indexes(slot, Some(&*old), None, rows);
        Arc::make_mut(&mut self.free).insert(slot);
        self.packed = self.packed.min(self.len());
        Some(old)
    }

    /// Returns the slots to pack, if packing is worthwhile.
    pub(super) fn to_pack(&self) -> Option<Range<u32>> {
        let is_worthwhile = self.len() >= 2 * self.packed.max(LEAF);
        is_worthwhile.then_some(1..self.end)
    }

    /// Moves what a lookup of slots reads next to each other in memory, if a clone shares it.
    ///
    /// These nodes are allocated one by one between large objects, so that each is on a page of its own. Resolving a page takes as long
    /// as reading from it.
    pub(super) fn pack(&mut self, slots: Range<u32>) {
        for slot in slots.step_by(LEAF) {
            self.slots.unshare(slot);
            self.keys.unshare(slot);
            self.objects.unshare(slot);
        }
        self.packed = self.len();
    }

    /// Updates the labels, the owners and the indexes.
    fn update_indexes(&mut self, slot: u32, old: Option<&Stored>, new: Option<&Stored>, rows: Vec<AnyRow>) {
        self.labels.update(&self.hashes, slot, old, new);
        self.update_owners(slot, old, new);
        for (index, row) in self.indexes.iter_mut().zip(rows) {
            erased_index::update(index, slot, row);
        }
    }

    fn update_owners(&mut self, slot: u32, old: Option<&Stored>, new: Option<&Stored>) {
        let (old, new) = (uids(old), uids(new));
        if old == new {
            return;
        }
        for uid in old.iter().filter(|uid| !new.contains(uid)) {
            let eq = |other: &Arc<str>| **other == **uid;
            self.owners.remove(self.hashes.of(*uid), slot, eq);
        }
        for uid in new.iter().filter(|uid| !old.contains(uid)) {
            let eq = |other: &Arc<str>| **other == **uid;
            self.owners.add(self.hashes.of(*uid), slot, eq, || (*uid).into());
        }
    }

    /// Returns the lowest free slot, so that slots stay dense.
    fn allocate_slot(&mut self) -> u32 {
        if let Some(slot) = self.free.min() {
            Arc::make_mut(&mut self.free).remove(slot);
            return slot;
        }
        self.end += 1;
        self.end - 1
    }
}

fn empty_index(index: &AnyIndex) -> Arc<dyn ErasedIndex> {
    let mut erased = index.to_erased();
    erased_index::change(&mut erased, |erased| erased.set_complete());
    erased
}

fn uids(object: Option<&Stored>) -> Vec<&str> {
    object.into_iter().flat_map(|object| object.owners()).map(|owner| owner.uid).collect()
}
