//! The objects and their indexes, as one value that is cheap to clone.

use std::{mem, num::NonZeroU32, sync::Arc};

use roaring::RoaringBitmap;

use super::{
    clones::{fetch_count, in_batches},
    erased_index::{self, ErasedIndex},
    fingerprint::Fingerprint,
    index::{AnyIndex, AnyRow},
    key_text::KeyText,
    labels::LabelIndex,
    persistent_table::{EntryPosition, PersistentTable},
    postings::{Hashes, Postings},
    radix::Radix,
    slot_set::SlotSet,
};
use crate::informer::stored_object::Stored;

/// The objects and their indexes. Each object has a slot, which the indexes refer to. Clones share everything that has
/// not changed since.
#[derive(Clone)]
pub(super) struct StoreState {
    pub(super) hashes: Hashes,
    pub(super) objects: Radix<Arc<Stored>>,
    /// Slots below `end` without an object. Slots start at 1, so that they can be `NonZeroU32`, which saves memory.
    free: Arc<RoaringBitmap>,
    end: u32,
    pub(super) keys: PersistentTable<Keyed>,
    namespaces: Postings<Arc<str>>,
    pub(super) labels: LabelIndex,
    owners: Postings<Arc<str>>,
    pub(super) indexes: Vec<Arc<dyn ErasedIndex>>,
}

/// An entry of the table of keys. It contains the object as well as its slot, which saves a memory access on lookup.
#[derive(Clone)]
pub(super) struct Keyed {
    key: KeyText,
    pub(super) slot: NonZeroU32,
    pub(super) fingerprint: Fingerprint,
    pub(super) object: Arc<Stored>,
}

impl StoreState {
    pub(super) fn new(hashes: Hashes, indexes: &[AnyIndex]) -> Self {
        Self {
            hashes,
            objects: Radix::new(),
            free: Arc::default(),
            end: 1,
            keys: PersistentTable::new(),
            namespaces: Postings::new(),
            labels: LabelIndex::new(),
            owners: Postings::new(),
            indexes: indexes.iter().map(empty_index).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn find(&self, namespace: Option<&str>, name: &str) -> Option<(u32, &Arc<Stored>)> {
        let hash = self.hashes.of((namespace, name));
        let (_, keyed) = self.find_hashed(hash, namespace, name)?;
        Some((keyed.slot.get(), &keyed.object))
    }

    pub(super) fn find_hashed(
        &self,
        hash: u32,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<(EntryPosition, &Keyed)> {
        let eq = |keyed: &Keyed| {
            // The processor loads the reference count while the keys are compared.
            fetch_count(&keyed.object);
            keyed.key.is(namespace, name)
        };
        self.keys.find(hash, eq)
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

    /// Passes the objects in slots on, or all of them, in batches.
    pub(super) fn in_batches(&self, slots: Option<&SlotSet>, use_batch: &mut dyn FnMut(&[&Arc<Stored>])) {
        match slots {
            Some(slots) => in_batches(self.objects.at_all(slots.iter()), use_batch),
            None => in_batches(self.objects.iter(), use_batch),
        }
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
        let key = KeyText::new(object.namespace(), object.name());
        let keyed = Keyed { key, slot, fingerprint, object: object.clone() };
        self.keys.insert(key_hash, keyed);
        let slot = slot.get();
        if let Some(namespace) = object.namespace() {
            let hash = self.hashes.of(namespace);
            let eq = |other: &Arc<str>| **other == *namespace;
            self.namespaces.add(hash, slot, eq, || namespace.into());
        }
        self.update_indexes(slot, None, Some(&*object), rows);
        self.objects.insert(slot, object);
        slot
    }

    /// Replaces the state of an object, and returns the previous one.
    pub(super) fn replace(
        &mut self,
        place: EntryPosition,
        object: Arc<Stored>,
        fingerprint: Fingerprint,
        rows: Vec<AnyRow>,
    ) -> Arc<Stored> {
        let keyed = self.keys.at_mut(place);
        keyed.fingerprint = fingerprint;
        keyed.object = object.clone();
        let slot = keyed.slot.get();
        let erased = self.objects.get_mut(slot).expect("the slot contains an object");
        let old = mem::replace(erased, object.clone());
        self.update_indexes(slot, Some(&*old), Some(&*object), rows);
        old
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<Arc<Stored>> {
        let old = self.objects.get(slot)?.clone();
        let hash = self.hashes.of((old.namespace(), old.name()));
        if let Some((place, _)) = self.keys.find(hash, |keyed| keyed.slot.get() == slot) {
            self.keys.remove(place);
        }
        if let Some(namespace) = old.namespace() {
            let eq = |other: &Arc<str>| **other == *namespace;
            self.namespaces.remove(self.hashes.of(namespace), slot, eq);
        }
        let rows = self.indexes.iter().map(|_| None).collect();
        self.update_indexes(slot, Some(&*old), None, rows);
        self.objects.remove(slot);
        Arc::make_mut(&mut self.free).insert(slot);
        Some(old)
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
    fn allocate_slot(&mut self) -> NonZeroU32 {
        let slot = match self.free.min() {
            Some(slot) => {
                Arc::make_mut(&mut self.free).remove(slot);
                slot
            }
            None => {
                self.end += 1;
                self.end - 1
            }
        };
        NonZeroU32::new(slot).expect("slots start at 1")
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
