//! The store and those who follow it, changed together.

use std::sync::Arc;

use super::{
    Cached, Event, ObjectKey,
    events::{Fanout, Leftovers, Objects, Subscription, Told},
    store::{AnyIndex, Change, IndexPanic, Prepared, Slot, Slots, Store, Writer},
    sync::{self, Mutex, MutexGuard},
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
    Unreadable {
        key: ObjectKey,
        uid: Option<Box<str>>,
    },
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
            Self::Seen(key) | Self::Unreadable { key, .. } | Self::Delete { key, .. } => {
                key.clone()
            }
        }
    }
}

pub(super) struct Cache<K: Cached> {
    pub(super) store: Store<K>,
    /// Locked before the store is, so that who begins to follow misses nothing and is told nothing twice.
    followers: Mutex<Followers<K>>,
}

struct Followers<K: Cached> {
    fanout: Fanout<K>,
    synced: bool,
}

impl<K: Cached> Cache<K> {
    pub(super) fn new(store: Store<K>) -> Self {
        Self {
            store,
            followers: Mutex::new(Followers {
                fanout: Fanout::default(),
                synced: false,
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

    /// Keeps one more index, and says on which objects its closure panicked.
    pub(super) fn add_index(&self, index: &AnyIndex<K>) -> Vec<(Arc<K>, IndexPanic)> {
        {
            let _followers = self.followers();
            self.store.announce(index);
        }
        self.store.fill(index)
    }

    /// Makes changes and tells of them, and says how many events that were. Which objects there were is noted in `seen`, if
    /// it is given.
    pub(super) fn commit(&self, deltas: &mut Vec<Delta<K>>, mut seen: Option<&mut Slots>) -> usize {
        // What is changed is dropped when the locks are free: that may be the program's code.
        let mut dropped = Vec::new();
        let mut followers = self.complete(deltas);
        let mut events = Vec::with_capacity(deltas.len());
        let mut deltas = deltas.drain(..).peekable();
        while deltas.peek().is_some() {
            let mut writer = self.store.write();
            for delta in deltas.by_ref().take(AT_ONCE) {
                let seen = seen.as_deref_mut();
                make(delta, &mut writer, seen, &mut events, &mut dropped);
            }
        }
        let count = events.len();
        let leftovers = followers.tell(events);
        drop(followers);
        drop((dropped, leftovers));
        count
    }

    /// Removes what was not seen in a list of a namespace, or of all, and says how many objects that were.
    pub(super) fn sweep(&self, namespace: Option<&str>, seen: &Slots) -> usize {
        let mut leftovers = Vec::new();
        let mut followers = self.followers();
        let gone = self.store.write().slots(namespace).minus(seen);
        let gone: Vec<Slot> = gone.iter().collect();
        for slots in gone.chunks(AT_ONCE) {
            let mut writer = self.store.write();
            let removed = slots.iter().map(|slot| writer.remove(*slot));
            let events: Vec<_> = removed.map(|gone| Event::Deleted(gone).into()).collect();
            drop(writer);
            leftovers.push(followers.tell(events));
        }
        drop(followers);
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
            let mut incomplete = deltas
                .iter_mut()
                .filter_map(|delta| match delta {
                    Delta::Apply(object) if object.indexes() < indexes => Some(object),
                    _ => None,
                })
                .peekable();
            if incomplete.peek().is_none() {
                return followers;
            }
            drop(followers);
            incomplete.for_each(|object| self.store.complete(object));
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

fn make<K: Cached>(
    delta: Delta<K>,
    writer: &mut Writer<'_, K>,
    seen: Option<&mut Slots>,
    events: &mut Vec<Told<K>>,
    dropped: &mut Vec<Arc<K>>,
) {
    match delta {
        Delta::Apply(prepared) => {
            let new = prepared.object().clone();
            let Some(seen) = seen else {
                let (_, change) = writer.apply(prepared);
                return tell_of(change, new, events, dropped);
            };
            let is_outdated = |slot, known: &K, new: &K| {
                let version = new.resource_version();
                version.is_some_and(|version| has_shown_newer(seen, slot, known, version))
            };
            let Some((slot, change)) = writer.apply_unless(prepared, is_outdated) else {
                return dropped.push(new);
            };
            seen.insert(slot);
            tell_of(change, new, events, dropped);
        }
        Delta::Seen(key) => {
            let found = writer.find(key.namespace(), key.name());
            if let (Some(seen), Some((slot, _))) = (seen, found) {
                seen.insert(slot);
            }
        }
        Delta::Unreadable { key, uid } => {
            let found = writer.find(key.namespace(), key.name());
            let Some((slot, known)) = found else { return };
            if known.uid() != uid.as_deref() {
                events.push(Event::Deleted(writer.remove(slot)).into());
            } else if let Some(seen) = seen {
                seen.insert(slot);
            }
        }
        Delta::Delete {
            key,
            uid,
            version,
            last,
        } => {
            dropped.extend(last.clone());
            let found = writer.find(key.namespace(), key.name());
            let Some((slot, known)) = found else { return };
            let same = known.uid() == uid.as_deref();
            // Of what a list does not show in the end nothing stays anyway.
            if seen.is_some_and(|seen| !same || has_shown_newer(seen, slot, &**known, &version)) {
                return;
            }
            let known = writer.remove(slot);
            events.push(Told::deleted(known, last.filter(|_| same)));
        }
    }
}

/// Whether a list that tells of an object at a resourceVersion has told of it at a newer one before.
fn has_shown_newer<K: Cached>(seen: &Slots, slot: Slot, known: &K, version: &str) -> bool {
    let number = |version: &str| version.parse::<u64>().ok();
    let versions = known
        .resource_version()
        .and_then(number)
        .zip(number(version));
    seen.contains(slot) && versions.is_some_and(|(known, told)| known > told)
}

fn tell_of<K: Cached>(
    change: Change<K>,
    new: Arc<K>,
    events: &mut Vec<Told<K>>,
    dropped: &mut Vec<Arc<K>>,
) {
    match change {
        Change::Added => events.push(Event::Added(new).into()),
        Change::Unchanged => dropped.push(new),
        Change::Updated { old } => events.push(Event::Updated { old, new }.into()),
        Change::Replaced { old } => {
            events.extend([Event::Deleted(old), Event::Added(new)].map(Told::from));
        }
    }
}

#[cfg(all(test, crdkit_loom))]
mod modelled;
#[cfg(all(test, not(crdkit_loom)))]
mod tests;
