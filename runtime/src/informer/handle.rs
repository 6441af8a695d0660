//! A running informer.

use std::{fmt, marker::PhantomData, sync::Arc};

use tokio::time::Instant;

use super::{
    CacheObject, UndecodableObject,
    error::{Problems, WatchError},
    events::{Objects, Subscription},
    health::Health,
    running::Running,
    shared::InformerState,
    store::Lister,
};

/// A running informer: an in-process cache of objects that watches keep up to date.
///
/// Clones, [listers](Self::lister) and [subscriptions](Self::subscribe) are handles to the same informer. The informer
/// stops when the last of them is dropped.
#[doc(alias("SharedIndexInformer", "SharedInformer", "reflector"))]
pub struct Informer<T: CacheObject> {
    running: Arc<Running>,
    kind: PhantomData<fn() -> T>,
}

/// Not all objects could be listed.
///
/// The informer keeps retrying, so waiting again may succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server refuses some of the watches. The store contains the objects of the others.
    #[error("{}", describe(.0))]
    Refused(Vec<RefusedWatch>),
    /// The informer was stopped before all objects were listed.
    #[error("the informer was stopped")]
    Stopped,
}

/// A watch that the API server refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefusedWatch {
    /// The namespace; `None` for all namespaces and for cluster-scoped kinds.
    pub namespace: Option<Arc<str>>,
    /// The error.
    pub error: Arc<WatchError>,
}

/// Why [`Informer::wait_for`] cannot wait for a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The object has no `metadata.resourceVersion`, so it is not a response of the API server.
    #[error("the object has no `metadata.resourceVersion`: pass the object that the API server returned")]
    NoVersion,
    /// The informer does not watch the namespace of the object.
    #[error("the informer does not watch the namespace of the object")]
    NotWatched,
    /// The informer was stopped.
    #[error("the informer was stopped")]
    Stopped,
}

impl<T: CacheObject> Informer<T> {
    pub(super) fn new(running: Arc<Running>) -> Self {
        Self { running, kind: PhantomData }
    }

    pub(super) fn running(&self) -> &Arc<Running> {
        &self.running
    }

    /// Returns a lister, which reads the objects.
    pub fn lister(&self) -> Lister<T> {
        let lister = self.shared().cache.store.lister();
        lister.with_informer(self.running.clone())
    }

    /// Subscribes to events: first the current objects as added, then each change.
    pub fn subscribe(&self) -> Subscription<T> {
        let running = self.running.clone();
        let snapshots = Arc::new(move || -> Objects { Box::new(running.shared.cache.snapshot()) });
        Subscription::new(self.shared().cache.subscribe().with_snapshots(snapshots))
    }

    /// Waits until the initial list is complete.
    ///
    /// # Errors
    ///
    /// - [`SyncError::Refused`] if the API server refuses a watch, for example because the user lacks permissions for a
    ///   namespace. It is returned once all other watches have listed their objects. The informer keeps retrying the
    ///   refused watches.
    /// - [`SyncError::Stopped`] if the informer is stopped.
    pub async fn synced(&self) -> Result<(), SyncError> {
        self.running.synced().await
    }

    /// Waits until the store contains a written object, or a newer state of it.
    ///
    /// Reads that start afterwards see the write.
    ///
    /// If resourceVersions are not numbers, it waits for exactly this state. A state that cannot be decoded counts as
    /// seen. An object that the selectors of the informer exclude counts as seen once the watch has passed its
    /// resourceVersion, which may take until the next bookmark, about a minute.
    ///
    /// # Errors
    ///
    /// Fails if the object has no resourceVersion, its namespace is not watched, or the informer is stopped.
    pub async fn wait_for(&self, written: &impl CacheObject<Kind = T::Kind>) -> Result<(), WaitError> {
        self.running.wait_for(written).await
    }

    /// Whether the store contains a written state of an object, or a newer one, or never will.
    pub(crate) fn has_seen(&self, namespace: Option<&str>, name: &str, version: &str) -> bool {
        self.running.has_seen(namespace, name, version)
    }

    /// Whether the store keeps an object in the state of a response, or may keep it.
    pub(crate) fn may_keep(&self, body: &[u8]) -> bool {
        self.running.may_keep(body)
    }

    /// Whether the store contains all objects of the shards of a version, or of a later one.
    pub(crate) fn has_shards(&self, version: u64) -> bool {
        self.running.has_shards(version)
    }

    /// Waits until the store contains all changes that the API server had stored at a time, except those of watches that it
    /// refuses.
    pub(crate) async fn catch_up(&self, since: Instant) {
        self.running.catch_up(since).await;
    }

    /// Waits until a condition on the store holds.
    pub(crate) async fn wait_until(&self, is_so: impl Fn() -> bool) {
        self.shared().wait_until(is_so).await;
    }

    /// Returns the resource: plural and group, such as `replicasets.apps`.
    pub(crate) fn resource(&self) -> String {
        self.shared().reporter.resource()
    }

    /// Whether two handles are to the same informer.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.running).addr()
    }

    /// Returns the health of the informer.
    pub fn health(&self) -> Health {
        self.running.health()
    }

    /// Returns the objects that currently cannot be decoded, sorted by namespace and name.
    ///
    /// The store does not contain them, or contains an earlier state.
    ///
    /// An object is listed from the time such a state arrives until a state that can be decoded arrives, the object is
    /// deleted, or it no longer matches the selection.
    pub fn undecodable_objects(&self) -> Vec<UndecodableObject> {
        self.shared().cache.undecodable_objects()
    }

    /// Subscribes to problems: first the current ones, then new ones.
    ///
    /// A problem that occurs during this call may be delivered twice.
    ///
    /// The current problems are:
    ///
    /// - [objects that cannot be decoded](Self::undecodable_objects)
    /// - panics of transforms and index closures, until the object changes or is deleted
    /// - watches that failed and have not resumed since
    ///
    /// A slow receiver gets the last 256 problems. All problems are counted in the [health](Self::health) and logged
    /// through `tracing`. Each state of an object that cannot be decoded is one problem, no matter how often it is
    /// received.
    pub fn problems(&self) -> Problems {
        self.running.problems()
    }

    /// Stops the informer, even if other handles exist.
    ///
    /// The store remains readable in its last state.
    pub fn stop(&self) {
        self.shared().stop();
    }

    fn shared(&self) -> &InformerState {
        &self.running.shared
    }
}

impl<T: CacheObject> Clone for Informer<T> {
    fn clone(&self) -> Self {
        Self::new(self.running.clone())
    }
}

impl<T: CacheObject> fmt::Debug for Informer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Informer").field("health", &self.health()).finish_non_exhaustive()
    }
}

fn describe(refused: &[RefusedWatch]) -> String {
    let watches = refused.iter().map(|watch| match &watch.namespace {
        Some(namespace) => format!("`{namespace}`: {}", watch.error),
        None => watch.error.to_string(),
    });
    watches.collect::<Vec<_>>().join("; ")
}
