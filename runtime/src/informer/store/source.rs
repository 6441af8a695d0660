//! The sources of listers.

use std::{any::Any, sync::Arc};

use super::{StoreShared, state::StoreState};

/// The current objects.
pub struct Live<K>(Arc<Handle<K>>);

struct Handle<K> {
    shared: Arc<StoreShared<K>>,
    /// The informer that updates the objects, which runs while it is read.
    #[allow(dead_code, reason = "dropping it ends the informer")]
    informer: Option<Arc<dyn Any + Send + Sync>>,
}

/// The objects of a snapshot.
pub struct Frozen<K>(pub(super) Arc<StoreState<K>>);

/// The source that a lister reads from.
pub trait Source<K>: Clone {
    #[doc(hidden)]
    fn read<R>(&self, read: impl FnOnce(&Objects<'_, K>) -> R) -> R;
    #[doc(hidden)]
    fn freeze(&self) -> Frozen<K>;
}

/// The objects, under the lock of the store.
pub struct Objects<'a, K>(pub(super) &'a StoreState<K>);

impl<K> Live<K> {
    pub(super) fn new(shared: Arc<StoreShared<K>>) -> Self {
        let informer = None;
        Self(Arc::new(Handle { shared, informer }))
    }

    pub(super) fn with_informer(&self, informer: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Arc::new(Handle { shared: self.0.shared.clone(), informer: Some(informer) }))
    }
}

impl<K> Source<K> for Live<K> {
    fn read<R>(&self, read: impl FnOnce(&Objects<'_, K>) -> R) -> R {
        read(&Objects(&self.0.shared.read()))
    }

    fn freeze(&self) -> Frozen<K> {
        Frozen(self.0.shared.read().clone())
    }
}

impl<K> Source<K> for Frozen<K> {
    fn read<R>(&self, read: impl FnOnce(&Objects<'_, K>) -> R) -> R {
        read(&Objects(&self.0))
    }

    fn freeze(&self) -> Frozen<K> {
        self.clone()
    }
}

impl<K> Clone for Live<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K> Clone for Frozen<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
