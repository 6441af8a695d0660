//! Fills indexes that are added to a running informer.

use std::{
    mem, ptr,
    sync::Arc,
    thread::{self, ThreadId},
};

use super::{AnyIndex, Store, Writer, erased_index, index::AnyRow, state::StoreState};
use crate::informer::{
    panics::ClosurePanic,
    stored_object::Stored,
    sync::{self, Mutex},
};

/// Objects that are indexed under one write lock, which blocks readers.
const OBJECTS_PER_LOCK: usize = 32;

/// The indexes that are being filled, and the threads that fill them.
pub(super) struct Filling(Mutex<Vec<(usize, ThreadId)>>);

impl Default for Filling {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A guard for an index that a thread fills.
struct FillGuard<'a> {
    filling: &'a Filling,
    index: (usize, ThreadId),
}

impl Filling {
    /// Starts to fill an index; `None` if this thread is already filling it, because the closure of the index reads the
    /// index.
    fn begin(&self, index: usize) -> Option<FillGuard<'_>> {
        let index = (index, thread::current().id());
        let mut all = sync::lock(&self.0);
        if all.contains(&index) {
            return None;
        }
        all.push(index);
        Some(FillGuard { filling: self, index })
    }
}

impl Drop for FillGuard<'_> {
    fn drop(&mut self) {
        sync::lock(&self.filling.0).retain(|index| *index != self.index);
    }
}

impl Store {
    /// Registers an index, which must then be [filled](Self::fill).
    ///
    /// The caller must prevent concurrent writes. Objects that were [prepared](Self::prepare) before must be prepared
    /// for it, too.
    pub(crate) fn register(&self, index: &AnyIndex) {
        let mut writer = self.write();
        if position(&writer.0, index.id()).is_some() {
            return;
        }
        Arc::make_mut(&mut writer.0).indexes.push(index.to_erased());
        let mut indexes = sync::write(&self.indexes);
        let known = indexes.iter().cloned().chain([index.clone()]).collect();
        let _outdated = mem::replace(&mut *indexes, known);
    }

    /// Fills an index with the objects that existed when it was registered. Readers use it once it is complete.
    ///
    /// The closure runs on a snapshot, without a lock, so objects may change meanwhile. If several threads fill an
    /// index, each fills all of it, so that none waits for a closure. The returned objects are those on which the
    /// closure panicked, and which the index does not contain.
    pub(crate) fn fill(&self, index: &AnyIndex) -> Vec<(Arc<Stored>, ClosurePanic)> {
        let mut panicked = Vec::new();
        let state = self.shared.read().clone();
        let at = position(&state, index.id()).filter(|at| !state.indexes[*at].is_complete());
        let Some((at, _guard)) = at.zip(self.filling.begin(index.id())) else {
            return panicked;
        };
        let slots: Vec<u32> = state.all().iter().collect();
        for slots in slots.chunks(OBJECTS_PER_LOCK) {
            let rows: Vec<_> = slots
                .iter()
                .map(|slot| {
                    let object = state.objects.get(*slot).expect("the slot contains an object");
                    let row = index.row(&state.hashes, object).unwrap_or_else(|panic| {
                        panicked.extend(state.objects.get_arc(*slot).map(|object| (object, panic)));
                        None
                    });
                    (*slot, object, row)
                })
                .collect();
            self.write().fill(at, rows);
        }
        let mut writer = self.write();
        erased_index::change(&mut Arc::make_mut(&mut writer.0).indexes[at], |index| {
            index.set_complete();
        });
        panicked
    }
}

impl Writer<'_> {
    /// Adds objects to an index, except those that changed since, which the change added.
    fn fill(&mut self, at: usize, rows: Vec<(u32, &Stored, AnyRow)>) {
        let state = Arc::make_mut(&mut self.0);
        for (slot, object, row) in rows {
            let now = state.objects.get(slot);
            if now.is_some_and(|now| ptr::addr_eq(now, object)) {
                erased_index::update(&mut state.indexes[at], slot, row);
            }
        }
    }
}

fn position(state: &StoreState, id: usize) -> Option<usize> {
    state.indexes.iter().position(|index| index.id() == id)
}
