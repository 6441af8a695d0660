//! Delays a reconciliation until the caches contain what the controller wrote for the same object.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde::Deserialize;
use tokio::{
    task::JoinSet,
    time::{Instant, timeout_at},
};

use super::{
    caches::{Cache, CachedState, Caches},
    metrics::{Counters, count},
    reconcile_loops::{Loops, OwnChange, WrittenChange},
    write_fence::WritePermit,
};
use crate::{
    client::{error::ClientOperation, request::Verb, write_hook::WriteHook},
    informer::{Attempt, ObjectKey, Queue},
};

/// A write that the API server confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) effect: Effect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The object was stored with this resourceVersion.
    Stored { version: String },
    /// The object was stored with this resourceVersion, in a state that the cache does not keep: the watch does not send it, except as
    /// the deletion of an object that the cache has.
    Excluded {
        version: String,
        /// The resourceVersion of an earlier write that the cache keeps, and may not contain yet.
        before: Option<String>,
    },
    /// The object is deleted, or terminating.
    Deleted { uid: Option<String> },
}

/// What a response to a write identifies.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response {
    metadata: WrittenMetadata,
    details: Details,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WrittenMetadata {
    namespace: Option<String>,
    name: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    uid: Option<String>,
}

impl Write {
    /// Reads the response to a write; `None` if it does not identify an object.
    fn read(operation: &ClientOperation, body: &[u8]) -> Option<Self> {
        let Response { metadata, details } = serde_json::from_slice(body).ok()?;
        let effect = match operation.verb {
            Verb::Delete => Effect::Deleted { uid: metadata.uid.or(details.uid) },
            Verb::DeleteCollection => return None,
            _ => Effect::Stored { version: metadata.resource_version? },
        };
        Some(Self {
            group: operation.group.clone(),
            plural: operation.plural.clone(),
            namespace: operation.namespace.clone().or(metadata.namespace),
            name: operation.name.clone().or(metadata.name)?,
            effect,
        })
    }

    fn is_of_same_object(&self, other: &Self) -> bool {
        let Self { group, plural, namespace, name, effect: _ } = other;
        (&self.group, &self.plural, &self.namespace, &self.name) == (group, plural, namespace, name)
    }

    /// Returns the resourceVersion that the cache will contain before it drops the object.
    fn kept_version(&self) -> Option<&String> {
        match &self.effect {
            Effect::Stored { version } => Some(version),
            Effect::Excluded { before, .. } => before.as_ref(),
            Effect::Deleted { .. } => None,
        }
    }
}

/// The writes of a controller that its caches do not contain yet, by the object whose reconciliation wrote them.
pub(super) struct OwnWrites {
    queue: Queue<ObjectKey>,
    caches: Arc<Caches>,
    counters: Arc<Counters>,
    limit: Duration,
    pending: Mutex<HashMap<ObjectKey, Pending>>,
    waiting: Mutex<JoinSet<()>>,
    /// The number of objects whose reconciliation waits.
    awaited: Arc<AtomicUsize>,
}

struct Pending {
    /// The writes that caches do not contain, with these: each cache of a kind has its own selection, and its own delay.
    writes: Vec<(Arc<dyn Cache>, Write)>,
    deadline: Instant,
    /// Whether a task adds the key to the queue once the writes are seen.
    is_awaited: bool,
}

impl OwnWrites {
    pub(super) fn new(queue: Queue<ObjectKey>, caches: Arc<Caches>, counters: Arc<Counters>, limit: Duration) -> Self {
        let (pending, waiting, awaited) = Default::default();
        Self { queue, caches, counters, limit, pending, waiting, awaited }
    }

    /// Returns the number of objects whose reconciliation waits.
    pub(super) fn waiting(&self) -> usize {
        self.awaited.load(Ordering::Relaxed)
    }

    /// Forgets the writes of all keys but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        lock(&self.pending).retain(|key, _| is_kept(key));
    }

    fn record(&self, key: &ObjectKey, operation: &ClientOperation, write: &Write, body: &[u8]) {
        let mut all = lock(&self.pending);
        let now = Instant::now();
        let deadline = now.checked_add(self.limit).unwrap_or(now);
        for cache in self.caches.of_operation(operation) {
            let pending = all.entry(key.clone()).or_insert(Pending { writes: Vec::new(), deadline, is_awaited: false });
            pending.record(cache, write.clone(), !cache.may_keep(body));
            pending.deadline = deadline;
        }
    }

    /// Whether the caches contain all writes of the reconciliations of a key. Otherwise the key is added to the queue
    /// once they do, or once the limit has passed, as the reconciliation that waits was.
    pub(super) fn are_seen(self: &Arc<Self>, key: &ObjectKey, run: &Attempt) -> bool {
        let mut all = lock(&self.pending);
        let Some(pending) = all.get_mut(key) else {
            return true;
        };
        pending.writes.retain(|(cache, write)| !cache.has_seen(write));
        if pending.writes.is_empty() {
            all.remove(key);
            return true;
        }
        if pending.deadline <= Instant::now() {
            let names: Vec<_> =
                pending.writes.iter().map(|(_, write)| format!("{} {}", write.plural, write.name)).collect();
            tracing::warn!(%key, writes = names.join(", "), "reconciling although the cache does not contain own writes");
            count(&self.counters.stale);
            all.remove(key);
            return true;
        }
        count(&self.counters.postponed);
        if !std::mem::replace(&mut pending.is_awaited, true) {
            let (writes, deadline) = (pending.writes.clone(), pending.deadline);
            drop(all);
            self.add_when_seen(key.clone(), run.clone(), writes, deadline);
        }
        false
    }

    fn add_when_seen(
        self: &Arc<Self>,
        key: ObjectKey,
        run: Attempt,
        writes: Vec<(Arc<dyn Cache>, Write)>,
        deadline: Instant,
    ) {
        let own_writes = Arc::downgrade(self);
        let queue = self.queue.clone();
        let awaited = Awaited::count(&self.awaited);
        let add = async move {
            let _awaited = awaited;
            let all_seen = async {
                for (cache, write) in writes {
                    cache.wait_for(write).await;
                }
            };
            let _ = timeout_at(deadline, all_seen).await;
            if let Some(own_writes) = own_writes.upgrade() {
                if let Some(pending) = lock(&own_writes.pending).get_mut(&key) {
                    pending.is_awaited = false;
                }
                queue.add_again(key, &run);
            }
        };
        let mut waiting = lock(&self.waiting);
        while waiting.try_join_next().is_some() {}
        waiting.spawn(add);
    }
}

impl Pending {
    fn record(&mut self, cache: &Arc<dyn Cache>, mut write: Write, is_excluded: bool) {
        let mut all = self.writes.iter();
        let earlier = all
            .position(|(of, earlier)| of.id() == cache.id() && earlier.is_of_same_object(&write))
            .map(|index| self.writes.swap_remove(index).1);
        write.effect = match write.effect {
            Effect::Stored { version } if is_excluded => {
                Effect::Excluded { version, before: earlier.as_ref().and_then(Write::kept_version).cloned() }
            }
            effect => effect,
        };
        self.writes.push((cache.clone(), write));
    }
}

/// Counts a reconciliation that waits, until this is dropped.
struct Awaited(Arc<AtomicUsize>);

impl Awaited {
    fn count(awaited: &Arc<AtomicUsize>) -> Self {
        awaited.fetch_add(1, Ordering::Relaxed);
        Self(awaited.clone())
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Records the writes of one reconciliation, and refuses them when the manager is not the leader or does not hold the shard.
pub(super) struct Recorder {
    pub(super) own_writes: Arc<OwnWrites>,
    pub(super) loops: Arc<Loops>,
    pub(super) permit: Arc<WritePermit>,
    pub(super) key: ObjectKey,
    /// The cached states of the objects whose writes were sent.
    pub(super) before: Mutex<Vec<(ClientOperation, Option<CachedState>)>>,
}

impl WriteHook for Recorder {
    fn is_allowed(&self) -> bool {
        self.permit.may_write()
    }

    fn allowed_until(&self) -> Option<Instant> {
        self.permit.until()
    }

    fn sends(&self, operation: &ClientOperation) {
        let records_fields = self.loops.writes(&self.key);
        // The cache may still have a predecessor of the same name.
        if operation.verb == Verb::Create {
            return;
        }
        if let (Some(name), Some(_)) = (&operation.name, self.own_writes.caches.of_operation(operation).next()) {
            let mut caches = self.own_writes.caches.of_operation(operation);
            let state = caches.find_map(|cache| cache.state(operation.namespace.as_deref(), name, records_fields));
            let mut before = lock(&self.before);
            before.retain(|(earlier, _)| earlier != operation);
            before.push((operation.clone(), state));
        }
    }

    fn written(&self, operation: &ClientOperation, body: &[u8]) {
        if let Some(write) = Write::read(operation, body) {
            self.record_change(operation, &write, body);
            self.own_writes.record(&self.key, operation, &write, body);
        }
    }
}

impl Recorder {
    /// Records the change if there is one: a write that changes nothing returns the same resourceVersion.
    fn record_change(&self, operation: &ClientOperation, write: &Write, body: &[u8]) {
        let Some(cache) = self.own_writes.caches.of_operation(operation).next() else {
            return;
        };
        let mut all = lock(&self.before);
        let before = all.iter().position(|(sent, _)| sent == operation).and_then(|index| all.swap_remove(index).1);
        drop(all);
        let state = match &write.effect {
            Effect::Stored { version } | Effect::Excluded { version, .. } => version,
            Effect::Deleted { uid } => uid.as_deref().unwrap_or_default(),
        };
        if before.as_ref().is_some_and(|before| before.version == *state) {
            return;
        }
        let change = match (&write.effect, before) {
            (Effect::Deleted { .. }, _) => WrittenChange::Object(format!("deletes {}", write.plural)),
            (_, None) => WrittenChange::Object(format!("creates {}", write.plural)),
            (_, Some(before)) => {
                let fields = before.object.and_then(|object| cache.changed_fields(&object, body)).unwrap_or_default();
                let of_object = |field| format!("{} {}: {field}", write.plural, write.name);
                WrittenChange::Fields(fields.into_iter().map(of_object).collect())
            }
        };
        let own =
            OwnChange { resource: cache.resource(), namespace: write.namespace.as_deref(), name: &write.name, state };
        self.loops.changed(&self.key, &own, change);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
