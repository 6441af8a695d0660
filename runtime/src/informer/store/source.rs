//! The sources of listers.

use std::{any::Any, marker::PhantomData, sync::Arc};

use super::{StoreShared, state::StoreState};

/// The current objects.
pub struct Live<K>(Arc<Handle>, PhantomData<fn() -> K>);

struct Handle {
    shared: Arc<StoreShared>,
    /// The informer that updates the objects, which runs while it is read.
    #[allow(dead_code, reason = "dropping it ends the informer")]
    informer: Option<Arc<dyn Any + Send + Sync>>,
}

/// The objects of a snapshot.
pub struct Frozen<K>(pub(super) Arc<StoreState>, PhantomData<fn() -> K>);

impl<K> Frozen<K> {
    fn new(state: Arc<StoreState>) -> Self {
        Self(state, PhantomData)
    }
}

/// The source that a lister reads from.
pub trait Source<K>: Clone {
    #[doc(hidden)]
    fn read<R>(&self, read: impl FnOnce(&Objects<'_>) -> R) -> R;
    #[doc(hidden)]
    fn freeze(&self) -> Frozen<K>;
}

/// The objects, under the lock of the store.
pub struct Objects<'a>(pub(super) &'a StoreState);

impl<K> Live<K> {
    pub(super) fn new(shared: Arc<StoreShared>) -> Self {
        let informer = None;
        Self(Arc::new(Handle { shared, informer }), PhantomData)
    }

    pub(super) fn with_informer(&self, informer: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Arc::new(Handle { shared: self.0.shared.clone(), informer: Some(informer) }), PhantomData)
    }
}

impl<K> Source<K> for Live<K> {
    fn read<R>(&self, read: impl FnOnce(&Objects<'_>) -> R) -> R {
        read(&Objects(&self.0.shared.read()))
    }

    fn freeze(&self) -> Frozen<K> {
        Frozen::new(self.0.shared.read().clone())
    }
}

impl<K> Source<K> for Frozen<K> {
    fn read<R>(&self, read: impl FnOnce(&Objects<'_>) -> R) -> R {
        read(&Objects(&self.0))
    }

    fn freeze(&self) -> Frozen<K> {
        self.clone()
    }
}

impl<K> Clone for Live<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<K> Clone for Frozen<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}
