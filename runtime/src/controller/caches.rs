//! The informers of a controller.

use std::{
    any::{Any, TypeId},
    collections::HashSet,
    sync::Arc,
};

use futures_util::future::{BoxFuture, FutureExt, join_all};

use kube_core::Resource;
use serde_json::Value;
use tokio::time::{Duration, Instant, timeout};

use super::{
    ReconciledKind, StaticKind,
    apply_owned::{ApplyOwnedError, CachedChild, Surplus, cached_children, delete_surplus},
    inventory::MemberCaches,
    kind::KindData,
    own_writes::{Effect, Write},
    reconcile_loops::changed_fields,
    references::References,
};
use crate::{
    Client,
    client::error::ClientOperation,
    informer::{CacheObject, Health, Informer, Lister, ObjectKey},
};

/// What a controller declared a cache for. A lister reads the first of a kind in this order: one that is declared for reading has
/// what the function reads, and one that maps changes to keys may have only some of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CachedSource {
    Reads,
    Reconciles,
    Owns,
    OwnsByInventory,
    Watches,
    Refers,
}

/// All of them, in this order.
const SOURCES: [CachedSource; 6] = [
    CachedSource::Reads,
    CachedSource::Reconciles,
    CachedSource::Owns,
    CachedSource::OwnsByInventory,
    CachedSource::Watches,
    CachedSource::Refers,
];

/// The caches, each with what declared it. A kind may have several.
#[derive(Default)]
pub(super) struct Caches {
    declared: Vec<DeclaredCache>,
    references: Vec<DeclaredReferences>,
    /// The members of inventories.
    pub(super) members: MemberCaches,
}

/// The references to a kind.
struct DeclaredReferences {
    to: TypeId,
    /// [`References`] of the kind that is reconciled.
    keys: Box<dyn Any + Send + Sync>,
    /// The lister of the informer whose changes are reconciled. Another one of the kind may be behind it.
    objects: Box<dyn Any + Send + Sync>,
}

struct DeclaredCache {
    source: CachedSource,
    type_id: TypeId,
    cache: Arc<dyn Cache>,
}

/// How long caches may need to catch up before it is logged.
const CATCH_UP_WARNING: Duration = Duration::from_secs(10);

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
    /// Waits until the cache contains what the API server had stored at a time.
    fn catch_up(self: Arc<Self>, since: Instant) -> BoxFuture<'static, ()>;
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
    /// Returns the objects whose controller has this uid.
    fn children(&self, owner: &str) -> Vec<CachedChild>;
    /// Deletes an object if it is still surplus.
    fn delete(
        &self,
        client: &Client,
        child: CachedChild,
        surplus: Surplus,
    ) -> BoxFuture<'static, Result<(), ApplyOwnedError>>;
}

impl Caches {
    pub(super) fn add<C: ReconciledKind>(&mut self, source: CachedSource, kind: KindData<C>, informer: Informer<C>) {
        let cache = Arc::new(CachedKind { kind, informer });
        self.declared.push(DeclaredCache { source, type_id: TypeId::of::<C>(), cache });
    }

    /// Declares how objects of the reconciled kind refer to those of another.
    pub(super) fn refer<K: StaticKind, C: StaticKind>(&mut self, keys: References<K>, objects: Lister<C>) {
        self.references.push(DeclaredReferences {
            to: TypeId::of::<C>(),
            keys: Box::new(keys),
            objects: Box::new(objects),
        });
    }

    /// Whether references to a type are declared.
    pub(super) fn has_references_to<C: 'static>(&self) -> bool {
        self.references.iter().any(|declared| declared.to == TypeId::of::<C>())
    }

    /// Returns the keys of the objects of a kind that an object refers to, each once, with the objects that there are.
    pub(super) fn referred<K: StaticKind, C: StaticKind>(&self, object: &K) -> Vec<(ObjectKey, Option<Arc<C>>)> {
        let mut referred: Vec<(ObjectKey, Option<Arc<C>>)> = Vec::new();
        for declared in self.references.iter().filter(|declared| declared.to == TypeId::of::<C>()) {
            let keys = declared.keys.downcast_ref::<References<K>>();
            let objects = declared.objects.downcast_ref::<Lister<C>>();
            let Some((keys, objects)) = keys.zip(objects) else { continue };
            for key in keys(object) {
                let found = objects.find(key.namespace(), key.name());
                match referred.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => *known = known.take().or(found),
                    None => referred.push((key, found)),
                }
            }
        }
        referred
    }

    /// Returns the lister of the kind that is reconciled.
    pub(super) fn reconciled<K: ReconciledKind>(&self) -> Option<Lister<K>> {
        self.listers(CachedSource::Reconciles).next()
    }

    /// Returns the lister that a function reads objects of a kind from.
    pub(super) fn lister<C: CacheObject + Resource>(&self) -> Option<Lister<C>> {
        SOURCES.into_iter().find_map(|source| self.listers(source).next())
    }

    /// Returns the listers of the owned objects of a kind: those that are declared for them, otherwise the one that is read.
    pub(super) fn owned<C: CacheObject + Resource>(&self) -> Vec<Lister<C>> {
        let declared = self.declared_as_owned();
        if declared.is_empty() { self.lister().into_iter().collect() } else { declared }
    }

    /// Returns the listers that are declared for owned objects of a kind.
    pub(super) fn declared_as_owned<C: CacheObject + Resource>(&self) -> Vec<Lister<C>> {
        self.listers(CachedSource::Owns).chain(self.listers(CachedSource::OwnsByInventory)).collect()
    }

    /// Returns an object from any of the caches of its kind.
    pub(super) fn find<C: CacheObject + Resource>(&self, key: &ObjectKey) -> Option<Arc<C>> {
        SOURCES
            .into_iter()
            .flat_map(|source| self.listers(source))
            .find_map(|all| all.find(key.namespace(), key.name()))
    }

    fn listers<C: CacheObject + Resource>(&self, source: CachedSource) -> impl Iterator<Item = Lister<C>> {
        let declared = self.declared.iter().filter(move |it| it.source == source && it.type_id == TypeId::of::<C>());
        declared.filter_map(|it| {
            let cache: &dyn Any = &*it.cache;
            Some(cache.downcast_ref::<CachedKind<C>>()?.informer.lister())
        })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<dyn Cache>> {
        self.declared.iter().map(|it| &it.cache)
    }

    /// Waits until the caches have all objects of the shards of a version.
    pub(super) async fn wait_for_shards(&self, version: u64) {
        while self.all().any(|cache| !cache.has_shards(version)) {
            for cache in self.all() {
                cache.clone().wait_for_shards(version).await;
            }
        }
    }

    /// Waits until the caches contain what the API server had stored at a time: what other processes wrote before it.
    pub(super) async fn catch_up(&self, since: Instant) {
        let mut all = Box::pin(join_all(self.all().map(|cache| cache.clone().catch_up(since))));
        if timeout(CATCH_UP_WARNING, &mut all).await.is_err() {
            let resources: Vec<_> = self.all().map(|cache| cache.resource()).collect();
            tracing::warn!(
                resources = resources.join(", "),
                "waiting until the caches contain what others have written before"
            );
            all.await;
        }
    }

    /// Returns the caches of the kind of an operation, each informer once.
    pub(super) fn of_operation(&self, operation: &ClientOperation) -> impl Iterator<Item = &Arc<dyn Cache>> {
        let mut ids = HashSet::new();
        let of_kind = self.all().filter(|cache| cache.is_of_kind(&operation.group, &operation.plural));
        of_kind.filter(move |cache| ids.insert(cache.id()))
    }

    /// Returns the cached objects whose controller has this uid, each once, with a cache that has it.
    pub(super) fn children(&self, owner: &str) -> Vec<(Arc<dyn Cache>, CachedChild)> {
        let mut seen = HashSet::new();
        let cached = self.all().flat_map(|cache| cache.children(owner).into_iter().map(move |child| (cache, child)));
        let once = cached.filter(|(_, child)| seen.insert(child.key.clone()));
        once.map(|(cache, child)| (cache.clone(), child)).collect()
    }
}

/// The informer of a kind.
struct CachedKind<C: CacheObject + Resource> {
    kind: KindData<C>,
    informer: Informer<C>,
}

impl<C: ReconciledKind> Cache for CachedKind<C> {
    fn id(&self) -> usize {
        self.informer.id()
    }

    fn resource(&self) -> String {
        self.informer.resource()
    }

    fn health(&self) -> Health {
        self.informer.health()
    }

    fn has_shards(&self, version: u64) -> bool {
        self.informer.has_shards(version)
    }

    fn wait_for_shards(self: Arc<Self>, version: u64) -> BoxFuture<'static, ()> {
        async move { self.informer.wait_until(|| self.informer.has_shards(version)).await }.boxed()
    }

    fn catch_up(self: Arc<Self>, since: Instant) -> BoxFuture<'static, ()> {
        async move { self.informer.catch_up(since).await }.boxed()
    }

    fn is_of_kind(&self, group: &str, plural: &str) -> bool {
        let kind = self.kind.dynamic();
        group == C::group(kind) && plural == C::plural(kind)
    }

    fn state(&self, namespace: Option<&str>, name: &str, has_fields: bool) -> Option<CachedState> {
        let object = self.informer.lister().find(namespace, name)?;
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
        self.informer.may_keep(body)
    }

    fn has_seen(&self, write: &Write) -> bool {
        let has_version = |version: &str| self.informer.has_seen(write.namespace.as_deref(), &write.name, version);
        match &write.effect {
            Effect::Stored { version } => has_version(version),
            Effect::Excluded { version, before } => {
                let is_absent = || self.informer.lister().find(write.namespace.as_deref(), &write.name).is_none();
                has_version(version) || (is_absent() && before.as_deref().is_none_or(has_version))
            }
            Effect::Deleted { uid } => {
                let object = self.informer.lister().find(write.namespace.as_deref(), &write.name);
                object.is_none_or(|object| object.is_terminating() || (uid.is_some() && object.uid() != uid.as_deref()))
            }
        }
    }

    fn wait_for(self: Arc<Self>, write: Write) -> BoxFuture<'static, ()> {
        async move { self.informer.wait_until(|| self.has_seen(&write)).await }.boxed()
    }

    fn children(&self, owner: &str) -> Vec<CachedChild> {
        cached_children(&self.kind, &self.informer.lister(), owner)
    }

    fn delete(
        &self,
        client: &Client,
        child: CachedChild,
        surplus: Surplus,
    ) -> BoxFuture<'static, Result<(), ApplyOwnedError>> {
        delete_surplus(self.kind.clone(), client.clone(), child, surplus).boxed()
    }
}
