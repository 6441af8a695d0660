//! The store and those who follow it, changed together.

mod changes;

use std::sync::Arc;

use hashbrown::HashSet;

use self::changes::Changes;
use super::{
    Cached, Event, ObjectKey, Problem, UnreadableObject,
    events::{Fanout, Leftovers, Objects, Subscription, Told},
    standing::Standing,
    store::{AnyIndex, Prepared, Slot, Slots, Store},
    sync::{self, Mutex, MutexGuard},
    unreadable::UnreadableState,
};

/// So many changes are made at once, while readers wait.
const AT_ONCE: usize = 32;

/// What is to be changed.
pub(super) enum Delta<K: Cached> {
    /// The object is so.
    Apply(Prepared<K>),
    /// The object is still there.
    Seen(ObjectKey),
    /// There is a state of the object that could not be read. Its last good state stays, but not that of another object of
    /// the same name.
    Unreadable(Box<UnreadableState>),
    /// The object is gone since a resourceVersion. It was so last, if that could be read.
    Delete {
        key: ObjectKey,
        uid: Option<Box<str>>,
        version: Box<str>,
        last: Option<Arc<K>>,
    },
}

impl<K: Cached> Delta<K> {
    pub(super) fn key(&self) -> ObjectKey {
        match self {
            Self::Apply(prepared) => ObjectKey::of(&**prepared.object()),
            Self::Unreadable(state) => state.key.clone(),
            Self::Seen(key) | Self::Delete { key, .. } => key.clone(),
        }
    }
}

/// What a list has shown.
#[derive(Default)]
pub(super) struct Seen {
    slots: Slots,
    /// Objects that do not fit: the store need not have them.
    unreadable: HashSet<ObjectKey>,
}

/// What came of changes.
pub(super) struct Committed {
    /// How many events there were.
    pub(super) events: usize,
    /// States that do not fit and were not known, and closures that panicked.
    pub(super) problems: Vec<Problem>,
}

pub(super) struct Cache<K: Cached> {
    pub(super) store: Store<K>,
    /// Locked before the store is, so that who begins to follow misses nothing and is told nothing twice.
    followers: Mutex<Followers<K>>,
}

struct Followers<K: Cached> {
    fanout: Fanout<K>,
    synced: bool,
    standing: Standing,
}

impl<K: Cached> Cache<K> {
    pub(super) fn new(store: Store<K>) -> Self {
        Self {
            store,
            followers: Mutex::new(Followers {
                fanout: Fanout::default(),
                synced: false,
                standing: Standing::default(),
            }),
        }
    }

    /// The objects as they are, and then all that changes.
    pub(super) fn subscribe(&self) -> Subscription<K> {
        let mut followers = self.followers();
        let snapshot = self.store.lister().snapshot();
        let synced = followers.synced;
        followers.fanout.subscribe(snapshot.into_iter(), synced)
    }

    /// The objects between two batches of changes.
    pub(super) fn snapshot(&self) -> Objects<K> {
        let _followers = self.followers();
        Box::new(self.store.lister().snapshot().into_iter())
    }

    /// Keeps one more index, and returns the panics of its closure.
    pub(super) fn add_index(&self, index: &AnyIndex<K>) -> Vec<Problem> {
        {
            let _followers = self.followers();
            self.store.announce(index);
        }
        let panicked = self.store.fill(index);
        if panicked.is_empty() {
            return Vec::new();
        }
        let mut followers = self.followers();
        let writer = self.store.write();
        let problems = panicked.iter().map(|(object, panic)| {
            let shown = writer.find(object.namespace(), object.name());
            if shown.is_some_and(|(_, shown)| Arc::ptr_eq(shown, object)) {
                followers.standing.panics.add(&**object, panic.clone());
            }
            panic.on(object.namespace(), object.name())
        });
        problems.collect()
    }

    /// The panics of closures on the objects as they are now.
    pub(super) fn panics(&self) -> Vec<Problem> {
        self.followers().standing.panics.problems()
    }

    /// The objects that do not fit now, by their keys.
    pub(super) fn unreadable(&self) -> Vec<UnreadableObject> {
        let followers = self.followers();
        let lister = self.store.lister();
        let mut states: Vec<_> = followers.standing.unreadable.states().collect();
        states.sort_unstable_by_key(|state| &state.key);
        let objects = states.into_iter().map(|state| {
            let shown = lister.find(state.key.namespace(), state.key.name());
            (state.object(shown.is_some()), shown)
        });
        let (objects, shown): (_, Vec<_>) = objects.unzip();
        drop(followers);
        drop(shown);
        objects
    }

    /// How many objects do not fit now.
    pub(super) fn unreadable_objects(&self) -> usize {
        self.followers().standing.unreadable.len()
    }

    /// Makes changes and tells of them. What there was is noted in `seen`, if it is given.
    pub(super) fn commit(
        &self,
        deltas: &mut Vec<Delta<K>>,
        mut seen: Option<&mut Seen>,
    ) -> Committed {
        let mut followers = self.complete(deltas);
        let mut changes = Changes::with_capacity(deltas.len());
        let mut deltas = deltas.drain(..).peekable();
        while deltas.peek().is_some() {
            let mut writer = self.store.write();
            for delta in deltas.by_ref().take(AT_ONCE) {
                let (seen, standing) = (seen.as_deref_mut(), &mut followers.standing);
                changes.apply(delta, &mut writer, seen, standing);
            }
        }
        let events = changes.events.len();
        let leftovers = followers.tell(changes.events);
        drop(followers);
        drop((changes.dropped, leftovers));
        Committed {
            events,
            problems: changes.problems,
        }
    }

    /// Removes what was not seen in a list of a namespace, or of all, and says how many objects that were.
    pub(super) fn sweep(&self, namespace: Option<&str>, seen: &Seen) -> usize {
        let mut leftovers = Vec::new();
        let mut followers = self.followers();
        let gone = self.store.write().slots(namespace).minus(&seen.slots);
        followers
            .standing
            .unreadable
            .sweep(namespace, &seen.unreadable);
        let gone: Vec<Slot> = gone.iter().collect();
        for slots in gone.chunks(AT_ONCE) {
            let mut writer = self.store.write();
            let removed = slots.iter().map(|slot| {
                let gone = writer.remove(*slot);
                followers.standing.panics.remove(&*gone);
                Event::Deleted(gone).into()
            });
            let events: Vec<_> = removed.collect();
            drop(writer);
            leftovers.push(followers.tell(events));
        }
        drop(followers);
        self.store.pack();
        gone.len()
    }

    /// Says that all there was has been told.
    pub(super) fn synced(&self) {
        let mut followers = self.followers();
        if !std::mem::replace(&mut followers.synced, true) {
            let leftovers = followers.tell(vec![Event::Synced.into()]);
            drop(followers);
            drop(leftovers);
        }
    }

    /// Ends all subscriptions.
    pub(super) fn close(&self) {
        let _leftovers = self.followers().fanout.close();
    }

    /// Locks when all changes are prepared for all indexes: some may have come since, and their closures run without a lock.
    fn complete(&self, deltas: &mut [Delta<K>]) -> MutexGuard<'_, Followers<K>> {
        loop {
            let followers = self.followers();
            let indexes = self.store.indexes();
            let incomplete = |delta: &Delta<K>| matches!(delta, Delta::Apply(object) if object.indexes() < indexes);
            if !deltas.iter().any(incomplete) {
                return followers;
            }
            drop(followers);
            for delta in &mut *deltas {
                if let Delta::Apply(object) = delta {
                    self.store.complete(object);
                }
            }
        }
    }

    fn followers(&self) -> MutexGuard<'_, Followers<K>> {
        sync::lock(&self.followers)
    }
}

impl<K: Cached> Followers<K> {
    /// Tells of events.
    #[must_use = "it is to be dropped when no lock is held"]
    fn tell(&mut self, events: Vec<Told<K>>) -> Leftovers<K> {
        self.fanout.push(events)
    }
}

#[cfg(all(test, crdkit_loom))]
mod modelled;
#[cfg(all(test, not(crdkit_loom)))]
mod tests;
