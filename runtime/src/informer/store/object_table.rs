//! The objects by their slots.

use std::{any::Any, sync::Arc};

use super::radix::Radix;
use crate::informer::{
    CacheObject,
    stored_object::{OF_ONE_TYPE, Stored},
};

/// The objects by their slots, as pointers of their type: a reader checks the type once and not for each object, and the pointers are
/// half as large as those of `dyn StoredObject`.
pub(super) struct ObjectTable(Option<Box<dyn ErasedTable>>);

/// What the writer does without the type.
pub(crate) trait ErasedTable: Any + Send + Sync {
    fn clone_box(&self) -> Box<dyn ErasedTable>;
    fn get(&self, slot: u32) -> Option<&Stored>;
    fn get_arc(&self, slot: u32) -> Option<Arc<Stored>>;
    fn insert(&mut self, slot: u32, object: Arc<dyn Any + Send + Sync>) -> Option<Arc<Stored>>;
    fn remove(&mut self, slot: u32) -> Option<Arc<Stored>>;
    fn unshare(&mut self, slot: u32);
}

impl ObjectTable {
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// Returns the objects with their type; `None` before the first one.
    pub(super) fn typed<K: CacheObject>(&self) -> Option<&Radix<Arc<K>>> {
        let objects: &dyn Any = &**self.0.as_ref()?;
        Some(objects.downcast_ref().expect(OF_ONE_TYPE))
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Stored> {
        self.0.as_ref()?.get(slot)
    }

    pub(super) fn get_arc(&self, slot: u32) -> Option<Arc<Stored>> {
        self.0.as_ref()?.get_arc(slot)
    }

    /// Inserts an object, and returns the one that was in the slot.
    pub(super) fn insert(&mut self, slot: u32, object: Arc<Stored>) -> Option<Arc<Stored>> {
        self.0.get_or_insert_with(|| object.empty_table()).insert(slot, object)
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<Arc<Stored>> {
        self.0.as_mut()?.remove(slot)
    }

    pub(super) fn unshare(&mut self, slot: u32) {
        if let Some(objects) = &mut self.0 {
            objects.unshare(slot);
        }
    }
}

impl Clone for ObjectTable {
    fn clone(&self) -> Self {
        Self(self.0.as_ref().map(|objects| objects.clone_box()))
    }
}

/// Returns a table for objects of a type.
pub(crate) fn empty_table<K: CacheObject>() -> Box<dyn ErasedTable> {
    Box::new(Radix::<Arc<K>>::new())
}

impl<K: CacheObject> ErasedTable for Radix<Arc<K>> {
    fn clone_box(&self) -> Box<dyn ErasedTable> {
        Box::new(self.clone())
    }

    fn get(&self, slot: u32) -> Option<&Stored> {
        self.get(slot).map(|object| &**object as &Stored)
    }

    fn get_arc(&self, slot: u32) -> Option<Arc<Stored>> {
        self.get(slot).map(|object| object.clone() as Arc<Stored>)
    }

    fn insert(&mut self, slot: u32, object: Arc<dyn Any + Send + Sync>) -> Option<Arc<Stored>> {
        let object = object.downcast::<K>().expect(OF_ONE_TYPE);
        self.insert(slot, object).map(|object| object as Arc<Stored>)
    }

    fn remove(&mut self, slot: u32) -> Option<Arc<Stored>> {
        self.remove(slot).map(|object| object as Arc<Stored>)
    }

    fn unshare(&mut self, slot: u32) {
        self.unshare(slot);
    }
}
