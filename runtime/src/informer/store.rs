//! The objects of an informer.
//!
//! The store is a table of slots, and indexes that map a value to a set of slots. An object keeps its slot while it is
//! in the store, so an update that does not change labels, owners or indexed values changes only the slot.
//!
//! All tables are persistent data structures: they are modified in place while they are not shared, and the nodes on
//! the path to a change are copied while a snapshot shares them. A snapshot is therefore one pointer, and it never
//! blocks the writer.

mod erased_index;
mod filling;
mod fingerprint;
mod index;
mod key_text;
mod label_query;
mod labels;
mod lister;
mod namespace;
mod object_table;
mod persistent_table;
mod postings;
mod query;
mod radix;
mod slot_set;
mod slots;
mod snapshot;
mod source;
mod state;
#[cfg(test)]
mod tests;

use std::{mem, sync::Arc};

use super::{
    decode::Identity,
    panics::ClosurePanic,
    stored_object::Stored,
    sync::{self, RwLock, RwLockReadGuard, RwLockWriteGuard},
};
use filling::Filling;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use index::AnyIndex;
use index::AnyRow;
pub use index::Index;
pub use label_query::{InvalidLabelQuery, LabelQuery};
pub use lister::Lister;
pub use namespace::NamespaceLister;
pub(crate) use object_table::{ErasedTable, empty_table};
use postings::Hashes;
pub use query::Query;
pub(crate) use slots::{Slot, Slots};
pub use snapshot::Snapshot;
pub(crate) use snapshot::StoredObjects;
pub use source::{Frozen, Live};
use state::StoreState;

/// Slots that are packed under one write lock, which blocks readers.
const SLOTS_PER_LOCK: usize = 256;

/// The objects, for the informer that updates them.
pub(crate) struct Store {
    shared: Arc<StoreShared>,
    /// The indexes of the state, in the same order. Their closures are user code and run without a lock.
    indexes: RwLock<Arc<[AnyIndex]>>,
    filling: Filling,
}

struct StoreShared {
    hashes: Hashes,
    state: RwLock<Arc<StoreState>>,
}

impl StoreShared {
    /// Locks the state, for a lookup or to clone the pointer.
    fn read(&self) -> RwLockReadGuard<'_, Arc<StoreState>> {
        sync::read(&self.state)
    }
}

impl Store {
    pub(crate) fn new(indexes: Vec<AnyIndex>) -> Self {
        let hashes = Hashes::default();
        let state = StoreState::new(hashes.clone(), &indexes);
        let shared = StoreShared { hashes, state: RwLock::new(Arc::new(state)) };
        Self { shared: Arc::new(shared), indexes: RwLock::new(indexes.into()), filling: Filling::default() }
    }

    pub(crate) fn lister<K>(&self) -> Lister<K> {
        Lister::new(Live::new(self.shared.clone()))
    }

    pub(crate) fn find(&self, namespace: Option<&str>, name: &str) -> Option<Arc<Stored>> {
        let state = self.shared.read();
        state.objects.get_arc(state.slot(namespace, name)?)
    }

    /// Returns the objects as they are now.
    pub(crate) fn snapshot(&self) -> StoredObjects {
        StoredObjects::new(self.shared.read().clone())
    }

    /// Prepares an object without a lock. This runs the closures of the indexes.
    pub(crate) fn prepare(&self, object: Arc<Stored>) -> Prepared {
        let key_hash = self.shared.hashes.of_key(object.namespace(), object.name());
        let mut prepared =
            Prepared { object, key_hash, fingerprint: Fingerprint::default(), rows: Vec::new(), panics: Vec::new() };
        self.prepare_missing(&mut prepared);
        prepared
    }

    /// Prepares an object for the indexes that were added since it was prepared.
    pub(crate) fn prepare_missing(&self, prepared: &mut Prepared) {
        let indexes = sync::read(&self.indexes).clone();
        let Prepared { object, rows, panics, .. } = prepared;
        let missing = &indexes[rows.len()..];
        rows.reserve_exact(missing.len());
        rows.extend(missing.iter().map(|index| {
            let row = index.row(&self.shared.hashes, &**object);
            row.unwrap_or_else(|panic| {
                panics.push(panic);
                None
            })
        }));
    }

    /// Returns the fingerprint of the content of an object.
    pub(crate) fn fingerprint(&self, content: &str) -> Fingerprint {
        Fingerprint::new(self.shared.hashes.of(content))
    }

    /// Whether the store contains this state of an object.
    pub(crate) fn has(&self, identity: &Identity<'_>, fingerprint: Fingerprint) -> bool {
        let (namespace, name) = (identity.namespace.as_deref(), &*identity.name);
        let hash = self.shared.hashes.of_key(namespace, name);
        let state = self.shared.read();
        let slot = state.slot_hashed(hash, namespace, name);
        slot.filter(|slot| state.fingerprint(*slot).matches(fingerprint))
            .and_then(|slot| state.objects.get(slot))
            .is_some_and(|known| {
                known.uid() == identity.uid.as_deref() && known.resource_version() == Some(&*identity.resource_version)
            })
    }

    /// Improves the locality of the store in memory after many objects were added.
    pub(crate) fn pack(&self) {
        // While it exists, what is changed is copied.
        let scattered = self.shared.read().clone();
        let starts = scattered.to_pack().into_iter().flat_map(|slots| slots.step_by(SLOTS_PER_LOCK));
        for start in starts {
            Arc::make_mut(&mut self.write().0).pack(start..start + SLOTS_PER_LOCK as u32);
        }
    }

    /// Returns the number of indexes.
    pub(crate) fn indexes(&self) -> usize {
        self.shared.read().indexes.len()
    }

    /// Returns the number of objects.
    pub(crate) fn len(&self) -> usize {
        self.shared.read().len()
    }

    /// Locks the store for writing. This blocks readers and other writers, but not existing snapshots.
    pub(crate) fn write(&self) -> Writer<'_> {
        Writer(sync::write(&self.shared.state))
    }
}

/// An object that is prepared for the store.
pub(crate) struct Prepared {
    object: Arc<Stored>,
    key_hash: u32,
    fingerprint: Fingerprint,
    rows: Vec<AnyRow>,
    panics: Vec<ClosurePanic>,
}

impl Prepared {
    pub(crate) fn object(&self) -> &Arc<Stored> {
        &self.object
    }

    pub(crate) fn with_fingerprint(self, fingerprint: Fingerprint) -> Self {
        Self { fingerprint, ..self }
    }

    /// Returns the number of indexes that it is prepared for.
    pub(crate) fn indexes(&self) -> usize {
        self.rows.len()
    }

    /// Adds the panic of a transform.
    pub(crate) fn with_panic(mut self, panic: Option<ClosurePanic>) -> Self {
        self.panics.extend(panic);
        self
    }

    /// Takes the panics of closures. Indexes whose closures panicked do not contain the object.
    pub(crate) fn take_panics(&mut self) -> Vec<ClosurePanic> {
        mem::take(&mut self.panics)
    }
}

/// The effect of applying an object.
#[derive(Debug)]
pub(crate) enum StoreChange {
    Added,
    /// The store already contained this state.
    Unchanged,
    /// The store contained another state of the object.
    Updated {
        old: Arc<Stored>,
    },
    /// The store contained another object with the same name.
    Replaced {
        old: Arc<Stored>,
    },
}

/// A write lock on the store.
pub(crate) struct Writer<'a>(RwLockWriteGuard<'a, Arc<StoreState>>);

impl Writer<'_> {
    /// Adds an object, or replaces the one with the same name, and returns its slot.
    pub(crate) fn apply(&mut self, object: Prepared) -> (Slot, StoreChange) {
        let applied = self.apply_unless(object, |_, _, _| false);
        applied.expect("nothing rejects it")
    }

    /// Applies an object, unless the slot contains an object and the predicate returns true for the slot, that object
    /// and the new one.
    pub(crate) fn apply_unless(
        &mut self,
        object: Prepared,
        rejects: impl FnOnce(Slot, &Stored, &Stored) -> bool,
    ) -> Option<(Slot, StoreChange)> {
        let Prepared { object, key_hash, fingerprint, rows, .. } = object;
        let state = Arc::make_mut(&mut self.0);
        let Some(slot) = state.slot_hashed(key_hash, object.namespace(), object.name()) else {
            let slot = state.insert(key_hash, object, fingerprint, rows);
            return Some((Slot(slot), StoreChange::Added));
        };
        let known = state.objects.get(slot).expect("the slot contains an object");
        if rejects(Slot(slot), known, &*object) {
            return None;
        }
        let is_same_object = known.uid() == object.uid();
        let is_same_version = known.resource_version() == object.resource_version();
        if is_same_object && is_same_version && state.fingerprint(slot).matches(fingerprint) {
            return Some((Slot(slot), StoreChange::Unchanged));
        }
        let old = state.put(slot, object, fingerprint, rows).expect("the slot contains an object");
        let change = if is_same_object { StoreChange::Updated { old } } else { StoreChange::Replaced { old } };
        Some((Slot(slot), change))
    }

    pub(crate) fn find(&self, namespace: Option<&str>, name: &str) -> Option<(Slot, &Stored)> {
        let slot = self.0.slot(namespace, name)?;
        Some((Slot(slot), self.0.objects.get(slot)?))
    }

    /// Removes an object.
    ///
    /// # Panics
    ///
    /// Panics if the slot is empty.
    pub(crate) fn remove(&mut self, slot: Slot) -> Arc<Stored> {
        let state = Arc::make_mut(&mut self.0);
        state.remove(slot.0).expect("the slot contains an object")
    }

    /// Returns the slots of a namespace, or of all objects.
    pub(crate) fn slots(&self, namespace: Option<&str>) -> Slots {
        Slots(match namespace {
            Some(namespace) => {
                let slots = self.0.in_namespace(namespace);
                slots.map(slot_set::SlotSet::bitmap).unwrap_or_default()
            }
            None => self.0.all(),
        })
    }
}
