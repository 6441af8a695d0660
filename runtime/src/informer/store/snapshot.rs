//! Snapshots of the objects of an informer.

use std::{sync::Arc, vec};

use super::{
    Lister,
    clones::{PREFETCHED, clone_into},
    source::Frozen,
    state::StoreState,
};
use crate::informer::CacheObject;

/// The objects at one point in time, with the methods of a [`Lister`]. Snapshots are cheap to take and to clone.
///
/// A snapshot keeps its objects in memory even after they are changed or deleted, so do not hold it longer than needed.
pub type Snapshot<K> = Lister<K, Frozen<K>>;

impl<K: CacheObject> Snapshot<K> {
    /// Iterates over the objects.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.source.0.objects.iter()
    }

    /// Returns a reference to the object with this namespace and name.
    pub fn find_ref<'a>(&self, namespace: impl Into<Option<&'a str>>, name: &str) -> Option<&Arc<K>> {
        let (_, object) = self.source.0.find(namespace.into(), name)?;
        Some(object)
    }
}

impl<K: CacheObject> IntoIterator for Snapshot<K> {
    type Item = Arc<K>;
    type IntoIter = IntoIter<K>;

    fn into_iter(self) -> IntoIter<K> {
        IntoIter { slots: self.source.0.all().into_iter(), state: self.source.0, next: Vec::new().into_iter() }
    }
}

/// An iterator over the objects of a [`Snapshot`].
pub struct IntoIter<K> {
    state: Arc<StoreState<K>>,
    slots: roaring::bitmap::IntoIter,
    next: vec::IntoIter<Arc<K>>,
}

impl<K: CacheObject> Iterator for IntoIter<K> {
    type Item = Arc<K>;

    fn next(&mut self) -> Option<Arc<K>> {
        if self.next.len() == 0 {
            let mut next = Vec::new();
            let slots = self.slots.by_ref().take(PREFETCHED);
            clone_into(&mut next, self.state.objects.at_all(slots));
            self.next = next.into_iter();
        }
        self.next.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.next.len() + self.slots.len();
        (len, Some(len))
    }
}

impl<K: CacheObject> ExactSizeIterator for IntoIter<K> {}
