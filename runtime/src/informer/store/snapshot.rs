//! Reads objects of one moment.

use std::{sync::Arc, vec};

use super::{
    Lister,
    clones::{AT_ONCE, clone_into},
    source::Frozen,
    state::StoreState,
};
use crate::informer::CacheObject;

/// The objects as they were at one time, read as with a [`Lister`]. It is cheap to take and to clone.
///
/// It keeps what it shows in memory, though changed or deleted since: do not hold it longer than needed.
pub type Snapshot<K> = Lister<K, Frozen<K>>;

impl<K: CacheObject> Snapshot<K> {
    /// The objects.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.source.0.objects.iter()
    }

    /// The object of this namespace and name, without a clone.
    pub fn find_ref<'a>(
        &self,
        namespace: impl Into<Option<&'a str>>,
        name: &str,
    ) -> Option<&Arc<K>> {
        let (_, object) = self.source.0.find(namespace.into(), name)?;
        Some(object)
    }
}

impl<K: CacheObject> IntoIterator for Snapshot<K> {
    type Item = Arc<K>;
    type IntoIter = IntoIter<K>;

    fn into_iter(self) -> IntoIter<K> {
        IntoIter {
            slots: self.source.0.all().into_iter(),
            state: self.source.0,
            next: Vec::new().into_iter(),
        }
    }
}

/// The objects of a [`Snapshot`], one by one.
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
            let slots = self.slots.by_ref().take(AT_ONCE);
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
