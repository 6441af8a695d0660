//! The keys of one controller whose objects are in shards that are held.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use super::table::{ShardPermit, ShardTable};
use crate::{
    controller::caches::Caches,
    informer::{
        ObjectKey, Queue,
        queue::source::{EventObserver, ObservedChange},
    },
};

pub(in crate::controller) struct ShardKeys {
    table: Arc<ShardTable>,
    /// The resource of the objects: plural and group.
    resource: String,
    state: Mutex<HeldKeys>,
    /// Whether the objects of a shard have been listed.
    has_begun: watch::Sender<bool>,
}

#[derive(Default)]
struct HeldKeys {
    /// The shards whose objects, and what they own, have been listed, with the epochs in which they are held.
    ready: HashMap<u16, u64>,
    /// The shards of deleted objects until they are reconciled.
    deleted: HashMap<ObjectKey, u16>,
}

impl ShardKeys {
    pub(in crate::controller) fn new(table: Arc<ShardTable>, resource: String) -> Self {
        Self { table, resource, state: Mutex::default(), has_begun: watch::Sender::new(false) }
    }

    /// Completes once the objects of a shard have been listed.
    pub(in crate::controller) async fn begun(&self) {
        // The sender lives as long as `self`.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Permits the reconciliation of an object, or of a deleted one, which has no uid; `None` if its shard is not held. A key
    /// that is refused is added again when its shard is acquired.
    pub(in crate::controller) fn permit(&self, key: &ObjectKey, uid: Option<&str>) -> Option<ShardPermit> {
        let mut state = self.state();
        let shard = match uid {
            Some(uid) => {
                state.deleted.remove(key);
                self.table.shard_of(uid)
            }
            None => *state.deleted.get(key)?,
        };
        let epoch = *state.ready.get(&shard)?;
        self.table.permit(shard, epoch)
    }

    /// Records that the reconciliation of a deleted object succeeded.
    pub(in crate::controller) fn complete(&self, key: &ObjectKey) {
        self.state().deleted.remove(key);
    }

    /// Adds the keys of shards that are acquired, once their objects are listed. Runs until it is dropped.
    ///
    /// `objects` returns the keys and uids of the listed objects, and `forget` removes what is remembered of all keys but those
    /// that it is passed a predicate for.
    pub(in crate::controller) async fn follow(
        &self,
        caches: &Caches,
        queue: &Queue<ObjectKey>,
        objects: impl Fn() -> Vec<(ObjectKey, String)>,
        forget: impl Fn(&dyn Fn(&ObjectKey) -> bool),
    ) {
        let mut held = self.table.subscribe();
        loop {
            let version = held.borrow_and_update().version;
            let listed = tokio::select! {
                () = self.caught_up(caches, version) => true,
                _ = held.changed() => false,
            };
            if listed {
                self.on_listed(version, queue, objects(), &forget);
                // An error means that the manager is gone.
                if held.changed().await.is_err() {
                    return;
                }
            }
        }
    }

    /// Waits until the caches have the objects of the shards of a version, and all that the last holders of the shards wrote.
    async fn caught_up(&self, caches: &Caches, version: u64) {
        caches.wait_for_shards(version).await;
        if let Some(since) = self.table.acquired_at() {
            caches.catch_up(since).await;
        }
    }

    fn on_listed(
        &self,
        version: u64,
        queue: &Queue<ObjectKey>,
        objects: Vec<(ObjectKey, String)>,
        forget: impl Fn(&dyn Fn(&ObjectKey) -> bool),
    ) {
        let epochs: HashMap<_, _> = self.table.epochs(version).into_iter().collect();
        let mut state = self.state();
        state.deleted.retain(|_, shard| epochs.contains_key(shard));
        let is_kept = |shard: &u16| epochs.contains_key(shard) && epochs.get(shard) == state.ready.get(shard);
        let shards: HashMap<_, _> = objects
            .iter()
            .map(|(key, uid)| (key, self.table.shard_of(uid)))
            .chain(state.deleted.iter().map(|(key, shard)| (key, *shard)))
            .collect();
        // Another replica may have changed the other objects meanwhile.
        forget(&|key| shards.get(key).is_some_and(is_kept));
        let added: Vec<_> = shards
            .iter()
            .filter(|(_, shard)| epochs.contains_key(shard) && !is_kept(shard))
            .map(|(key, _)| (*key).clone())
            .collect();
        let has_shards = !epochs.is_empty();
        state.ready = epochs;
        drop(state);
        queue.add_listed(added);
        if has_shards {
            self.has_begun.send_replace(true);
        }
    }

    fn state(&self) -> MutexGuard<'_, HeldKeys> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventObserver for ShardKeys {
    /// Records the shard of an object that was deleted.
    fn observed(&self, key: &ObjectKey, change: &ObservedChange<'_>) {
        let is_of_key =
            change.resource == self.resource && key.name() == change.name && key.namespace() == change.namespace;
        if change.is_deletion && is_of_key {
            let shard = self.table.shard_of(change.state);
            self.state().deleted.insert(key.clone(), shard);
        }
    }
}
