//! The store and its subscribers, which change together.

mod apply;
mod sweep;

use std::{ptr, sync::Arc};

use hashbrown::HashSet;

use self::apply::Changes;
use super::{
    Event, ObjectKey, Problem, UndecodableObject,
    current_problems::CurrentProblems,
    decode::Identity,
    events::{DeferredDrops, EventStream, Fanout, Notification},
    store::{AnyIndex, Prepared, Slots, Store, StoredObjects},
    stored_object::Stored,
    sync::{self, Mutex, MutexGuard},
    undecodable::UndecodableState,
};

/// Deltas applied under one write lock, which blocks readers.
const DELTAS_PER_LOCK: usize = 32;

/// A change to apply to the store.
pub(super) enum Delta {
    /// The object was added or updated.
    Apply(Prepared),
    /// The object is unchanged.
    Seen(ObjectKey),
    /// A state of the object that could not be decoded. The store retains the last good state, unless it belongs to an
    /// earlier object with the same name.
    Undecodable(Box<UndecodableState>),
    /// The object is in the shard of another process.
    OtherShard { key: ObjectKey, uid: Option<Box<str>> },
    /// The object was deleted at a resourceVersion. `last` is its final state, if it could be decoded.
    Delete { key: ObjectKey, uid: Option<Box<str>>, version: Box<str>, last: Option<Arc<Stored>> },
}

impl Delta {
    pub(super) fn key(&self) -> ObjectKey {
        match self {
            Self::Apply(prepared) => prepared.object().key(),
            Self::Undecodable(state) => state.key.clone(),
            Self::Seen(key) | Self::OtherShard { key, .. } | Self::Delete { key, .. } => key.clone(),
        }
    }
}

/// The objects that a list has returned so far.
#[derive(Default)]
pub(super) struct Seen {
    slots: Slots,
    /// Objects that could not be decoded. The store may not contain them.
    undecodable: HashSet<ObjectKey>,
}

/// The result of committing deltas.
pub(super) struct Committed {
    /// The number of events.
    pub(super) events: usize,
    /// New states that could not be decoded, and panics of closures.
    pub(super) problems: Vec<Problem>,
}

pub(super) struct Cache {
    pub(super) store: Store,
    /// Locked before the store, so that a new subscriber misses no change and receives none twice.
    subscribers: Mutex<Subscribers>,
    may_have_undecodable_parts: fn() -> bool,
}

struct Subscribers {
    fanout: Fanout,
    synced: bool,
    current_problems: CurrentProblems,
}

impl Cache {
    pub(super) fn new(store: Store) -> Self {
        Self {
            store,
            subscribers: Mutex::new(Subscribers {
                fanout: Fanout::default(),
                synced: false,
                current_problems: CurrentProblems::default(),
            }),
            may_have_undecodable_parts: || false,
        }
    }

    /// Sets what returns whether `has_undecodable_part` may hold for some object, as of the call.
    pub(super) fn with_undecodable_parts(self, may_have_undecodable_parts: fn() -> bool) -> Self {
        Self { may_have_undecodable_parts, ..self }
    }

    /// Subscribes to the current objects and all later changes.
    pub(super) fn subscribe(&self) -> EventStream {
        let mut subscribers = self.subscribers();
        let snapshot = self.store.snapshot();
        let synced = subscribers.synced;
        subscribers.fanout.subscribe(snapshot, synced)
    }

    /// Returns the objects as they are between two batches of changes.
    pub(super) fn snapshot(&self) -> StoredObjects {
        let _guard = self.subscribers();
        self.store.snapshot()
    }

    /// Adds an index, and returns the panics of its closure.
    pub(super) fn add_index(&self, index: &AnyIndex) -> Vec<Problem> {
        {
            let _guard = self.subscribers();
            self.store.register(index);
        }
        let panicked = self.store.fill(index);
        if panicked.is_empty() {
            return Vec::new();
        }
        let mut subscribers = self.subscribers();
        let writer = self.store.write();
        let problems = panicked.iter().map(|(object, panic)| {
            let shown = writer.find(object.namespace(), object.name());
            if shown.is_some_and(|(_, shown)| ptr::addr_eq(shown, &raw const **object)) {
                subscribers.current_problems.panics.add(&**object, panic.clone());
            }
            panic.to_problem(object.namespace(), object.name())
        });
        problems.collect()
    }

    /// Returns the panics of closures on the current state of the objects.
    pub(super) fn panics(&self) -> Vec<Problem> {
        self.subscribers().current_problems.panics.problems()
    }

    /// Returns the objects that cannot be decoded now, sorted by key.
    pub(super) fn undecodable_objects(&self) -> Vec<UndecodableObject> {
        let subscribers = self.subscribers();
        let mut states: Vec<_> = subscribers.current_problems.undecodable.states().collect();
        states.sort_unstable_by_key(|state| &state.key);
        let objects = states.into_iter().map(|state| {
            let shown = self.store.find(state.key.namespace(), state.key.name());
            (state.to_public(shown.is_some()), shown)
        });
        let (objects, shown): (_, Vec<_>) = objects.unzip();
        drop(subscribers);
        drop(shown);
        objects
    }

    /// Returns the keys of the objects of a namespace, or of all, that cannot be decoded now, or have a part that could not be when it
    /// was read.
    pub(super) fn undecodable_keys(&self, namespace: Option<&str>) -> Vec<ObjectKey> {
        let is_selected = |other: Option<&str>| namespace.is_none() || other == namespace;
        let mut keys: Vec<_> = {
            let subscribers = self.subscribers();
            let keys = subscribers.current_problems.undecodable.states().map(|state| &state.key);
            keys.filter(|key| is_selected(key.namespace())).cloned().collect()
        };
        if (self.may_have_undecodable_parts)() {
            let in_part =
                self.store.snapshot().filter(|object| is_selected(object.namespace()) && object.has_undecodable_part());
            keys.extend(in_part.map(|object| object.key()));
        }
        keys
    }

    /// Whether this state of an object could not be decoded, or read, and no other one arrived since.
    pub(super) fn is_undecodable(&self, identity: &Identity<'_>) -> bool {
        self.subscribers().current_problems.undecodable.contains(identity) || self.is_undecodable_in_part(identity)
    }

    fn is_undecodable_in_part(&self, identity: &Identity<'_>) -> bool {
        let shown = self.store.find(identity.namespace.as_deref(), &identity.name);
        shown.is_some_and(|shown| {
            shown.has_undecodable_part()
                && shown.uid() == identity.uid.as_deref()
                && shown.resource_version() == Some(&*identity.resource_version)
        })
    }

    /// Returns the number of objects that cannot be decoded now.
    pub(super) fn undecodable_count(&self) -> usize {
        self.subscribers().current_problems.undecodable.len()
    }

    /// Applies deltas and notifies subscribers. Objects are recorded in `seen`, if it is given.
    pub(super) fn commit(&self, deltas: &mut Vec<Delta>, mut seen: Option<&mut Seen>) -> Committed {
        let mut subscribers = self.lock_prepared(deltas);
        let mut changes = Changes::with_capacity(deltas.len());
        let mut deltas = deltas.drain(..).peekable();
        while deltas.peek().is_some() {
            let mut writer = self.store.write();
            for delta in deltas.by_ref().take(DELTAS_PER_LOCK) {
                let (seen, current_problems) = (seen.as_deref_mut(), &mut subscribers.current_problems);
                changes.apply(delta, &mut writer, seen, current_problems);
            }
        }
        let events = changes.events.len();
        let deferred = subscribers.notify(changes.events);
        drop(subscribers);
        drop((changes.dropped, deferred));
        Committed { events, problems: changes.problems }
    }

    /// Sends [`Event::Synced`] to subscribers, once.
    pub(super) fn set_synced(&self) {
        let mut subscribers = self.subscribers();
        if !std::mem::replace(&mut subscribers.synced, true) {
            let deferred = subscribers.notify(vec![Event::<Stored>::Synced.into()]);
            drop(subscribers);
            drop(deferred);
        }
    }

    /// Ends all subscriptions.
    pub(super) fn close(&self) {
        let _deferred = self.subscribers().fanout.close();
    }

    /// Locks the subscribers once all deltas are prepared for all indexes.
    ///
    /// Indexes may have been added since the deltas were prepared. Their closures run without a lock.
    fn lock_prepared(&self, deltas: &mut [Delta]) -> MutexGuard<'_, Subscribers> {
        loop {
            let subscribers = self.subscribers();
            let indexes = self.store.indexes();
            let is_unprepared = |delta: &Delta| matches!(delta, Delta::Apply(object) if object.indexes() < indexes);
            if !deltas.iter().any(is_unprepared) {
                return subscribers;
            }
            drop(subscribers);
            for delta in &mut *deltas {
                if let Delta::Apply(object) = delta {
                    self.store.prepare_missing(object);
                }
            }
        }
    }

    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        sync::lock(&self.subscribers)
    }
}

impl Subscribers {
    /// Sends events to all subscribers.
    #[must_use = "drop it when no lock is held"]
    fn notify(&mut self, events: Vec<Notification>) -> DeferredDrops {
        self.fanout.push(events)
    }
}

#[cfg(test)]
mod loom_tests;
#[cfg(test)]
mod tests;
