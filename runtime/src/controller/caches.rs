//! The informers of a controller, by the type of their objects.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

use futures_util::future::{BoxFuture, FutureExt};

use serde_json::Value;

use super::{
    StaticKind,
    loops::changed_fields,
    own_writes::{Effect, Write},
};
use crate::{
    client::error::ClientOperation,
    informer::{CacheObject, Health, Informer, Lister},
};

#[derive(Default)]
pub(super) struct Caches {
    by_type: HashMap<TypeId, Arc<dyn Cache>>,
}

/// The state of an object in a cache.
pub(super) struct CachedState {
    pub(super) version: String,
    pub(super) object: Option<Value>,
}

/// An informer of any kind.
pub(super) trait Cache: Any + Send + Sync {
    /// Identifies the informer. Controllers share informers.
    fn id(&self) -> usize;
    /// Returns the resource: plural and group, such as `replicasets.apps`.
    fn resource(&self) -> String;
    fn health(&self) -> Health;
    /// Whether the cache has all objects of the shards of a version.
    fn has_shards(&self, version: u64) -> bool;
    /// Waits until the cache has all objects of the shards of a version.
    fn wait_for_shards(self: Arc<Self>, version: u64) -> BoxFuture<'static, ()>;
    /// Whether the cache has objects of a kind.
    fn is_of_kind(&self, group: &str, plural: &str) -> bool;
    /// Returns the cached state of an object, with its fields if they are required.
    fn state(&self, namespace: Option<&str>, name: &str, has_fields: bool) -> Option<CachedState>;
    /// Returns the paths of the fields in which an object in a response differs from its state before.
    fn changed_fields(&self, before: &Value, body: &[u8]) -> Option<Vec<String>>;
    /// Whether the cache keeps an object in the state of a response, or may keep it.
    fn may_keep(&self, body: &[u8]) -> bool;
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

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<dyn Cache>> {
        self.by_type.values()
    }

    /// Waits until the caches have all objects of the shards of a version.
    pub(super) async fn wait_for_shards(&self, version: u64) {
        while self.all().any(|cache| !cache.has_shards(version)) {
            for cache in self.all() {
                cache.clone().wait_for_shards(version).await;
            }
        }
    }

    /// Returns the cache of the kind of a write.
    pub(super) fn of_write(&self, write: &Write) -> Option<Arc<dyn Cache>> {
        self.of_kind(&write.group, &write.plural)
    }

    /// Returns the cache of the kind of an operation.
    pub(super) fn of_operation(&self, operation: &ClientOperation) -> Option<Arc<dyn Cache>> {
        self.of_kind(&operation.group, &operation.plural)
    }

    fn of_kind(&self, group: &str, plural: &str) -> Option<Arc<dyn Cache>> {
        let mut caches = self.by_type.values();
        caches.find(|cache| cache.is_of_kind(group, plural)).cloned()
    }
}

impl<C: StaticKind> Cache for Informer<C> {
    fn id(&self) -> usize {
        self.id()
    }

    fn resource(&self) -> String {
        self.resource()
    }

    fn health(&self) -> Health {
        self.health()
    }

    fn has_shards(&self, version: u64) -> bool {
        self.has_shards(version)
    }

    fn wait_for_shards(self: Arc<Self>, version: u64) -> BoxFuture<'static, ()> {
        async move { self.wait_until(|| Informer::has_shards(&self, version)).await }.boxed()
    }

    fn is_of_kind(&self, group: &str, plural: &str) -> bool {
        group == C::group(&()) && plural == C::plural(&())
    }

    fn state(&self, namespace: Option<&str>, name: &str, has_fields: bool) -> Option<CachedState> {
        let object = self.lister().find(namespace, name)?;
        let version = object.resource_version().unwrap_or_default().to_owned();
        let fields = has_fields.then(|| serde_json::to_value(&*object).ok()).flatten();
        Some(CachedState { version, object: fields })
    }

    fn changed_fields(&self, before: &Value, body: &[u8]) -> Option<Vec<String>> {
        // The type may not declare all fields.
        let after: C = serde_json::from_slice(body).ok()?;
        Some(changed_fields(before, &serde_json::to_value(after).ok()?))
    }

    fn may_keep(&self, body: &[u8]) -> bool {
        Informer::may_keep(self, body)
    }

    fn has_seen(&self, write: &Write) -> bool {
        let has_version = |version: &str| self.has_seen(write.namespace.as_deref(), &write.name, version);
        match &write.effect {
            Effect::Stored { version } => has_version(version),
            Effect::Excluded { version, before } => {
                let is_absent = || self.lister().find(write.namespace.as_deref(), &write.name).is_none();
                has_version(version) || (is_absent() && before.as_deref().is_none_or(has_version))
            }
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
