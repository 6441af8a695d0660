//! Snapshots of the objects of an informer.

use std::{marker::PhantomData, sync::Arc};

use super::{Lister, radix::Radix, source::Frozen, state::StoreState};
use crate::informer::{
    CacheObject,
    stored_object::{Stored, typed},
};

/// The objects at one point in time, with the methods of a [`Lister`]. Snapshots are cheap to take and to clone.
///
/// A snapshot keeps its objects in memory even after they are changed or deleted, so do not hold it longer than needed.
pub type Snapshot<K> = Lister<K, Frozen<K>>;

impl<K: CacheObject> Snapshot<K> {
    /// Iterates over the objects, without counting references to them. [`into_iter`](IntoIterator::into_iter) returns those that can be
    /// kept.
    pub fn iter(&self) -> impl Iterator<Item = &K> {
        let objects = self.source.0.objects.typed().into_iter();
        objects.flat_map(Radix::iter).map(|object: &Arc<K>| &**object)
    }

    /// Returns a reference to the object with this namespace and name; [`find`](Lister::find) returns one that can be kept.
    pub fn find_ref<'a>(&self, namespace: impl Into<Option<&'a str>>, name: &str) -> Option<&K> {
        self.source.0.find(namespace.into(), name).map(|object| &**object)
    }
}

impl<K: CacheObject> IntoIterator for Snapshot<K> {
    type Item = Arc<K>;
    type IntoIter = IntoIter<K>;

    fn into_iter(self) -> IntoIter<K> {
        IntoIter { objects: StoredObjects::new(self.source.0), kind: PhantomData }
    }
}

/// An iterator over the objects of a [`Snapshot`].
pub struct IntoIter<K> {
    objects: StoredObjects,
    kind: PhantomData<fn() -> K>,
}

impl<K: CacheObject> Iterator for IntoIter<K> {
    type Item = Arc<K>;

    fn next(&mut self) -> Option<Arc<K>> {
        self.objects.next().map(typed)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.objects.size_hint()
    }
}

impl<K: CacheObject> ExactSizeIterator for IntoIter<K> {}

/// An iterator over the objects of a state, of any type.
pub(crate) struct StoredObjects {
    state: Arc<StoreState>,
    slots: roaring::bitmap::IntoIter,
}

impl StoredObjects {
    pub(super) fn new(state: Arc<StoreState>) -> Self {
        Self { slots: state.all().into_iter(), state }
    }
}

impl Iterator for StoredObjects {
    type Item = Arc<Stored>;

    fn next(&mut self) -> Option<Arc<Stored>> {
        self.state.objects.get_arc(self.slots.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}
