//! The informers of a controller, by the type of their objects.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

use futures_util::future::{BoxFuture, FutureExt};

use super::{
    StaticKind,
    own_writes::{Effect, Write},
};
use crate::informer::{CacheObject, Informer, Lister};

#[derive(Default)]
pub(super) struct Caches {
    by_type: HashMap<TypeId, Arc<dyn Cache>>,
}

/// An informer of any kind.
pub(super) trait Cache: Any + Send + Sync {
    /// Whether the cache has objects of the written kind.
    fn is_of_kind(&self, write: &Write) -> bool;
    /// Whether the cache contains a write, or a later state.
    fn has_seen(&self, write: &Write) -> bool;
    /// Waits until the cache contains a write, or a later state.
    fn wait_for(self: Arc<Self>, write: Write) -> BoxFuture<'static, ()>;
}

impl Caches {
    pub(super) fn add<C: StaticKind>(&mut self, informer: Informer<C>) {
        self.by_type.insert(TypeId::of::<C>(), Arc::new(informer));
    }

    /// Returns the lister of a kind.
    pub(super) fn lister<C: StaticKind>(&self) -> Option<Lister<C>> {
        let cache: &dyn Any = &**self.by_type.get(&TypeId::of::<C>())?;
        let informer = cache.downcast_ref::<Informer<C>>()?;
        Some(informer.lister())
    }

    /// Returns the cache of the kind of a write.
    pub(super) fn of_write(&self, write: &Write) -> Option<Arc<dyn Cache>> {
        let mut caches = self.by_type.values();
        caches.find(|cache| cache.is_of_kind(write)).cloned()
    }
}

impl<C: StaticKind> Cache for Informer<C> {
    fn is_of_kind(&self, write: &Write) -> bool {
        write.group == C::group(&()) && write.plural == C::plural(&())
    }

    fn has_seen(&self, write: &Write) -> bool {
        match &write.effect {
            Effect::Stored { version } => self.has_seen(write.namespace.as_deref(), &write.name, version),
            Effect::Deleted { uid } => {
                let object = self.lister().find(write.namespace.as_deref(), &write.name);
                object.is_none_or(|object| object.is_terminating() || (uid.is_some() && object.uid() != uid.as_deref()))
            }
        }
    }

    fn wait_for(self: Arc<Self>, write: Write) -> BoxFuture<'static, ()> {
        async move { self.wait_until(|| Cache::has_seen(&*self, &write)).await }.boxed()
    }
}
