//! The store and those who follow it, changed together.

use std::sync::Arc;

use super::{
    Cached, Event, ObjectKey,
    events::{Fanout, Objects, Subscription, Told},
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
    pub(super) fn add_index(&self, index: AnyIndex<K>) -> Vec<(Arc<K>, IndexPanic)> {
        let _followers = self.followers();
        self.store.add_index(index)
    }

    /// Makes changes and tells of them, and says how many events that were. Which objects there were is noted in `seen`, if
    /// it is given.
    pub(super) fn commit(&self, deltas: &mut Vec<Delta<K>>, mut seen: Option<&mut Slots>) -> usize {
        let mut followers = self.followers();
        let mut events = Vec::with_capacity(deltas.len());
        let indexes = self.store.indexes();
        let complete = |delta| self.complete(delta, indexes);
        let deltas = deltas.drain(..).map(complete);
        let mut deltas = deltas.peekable();
        while deltas.peek().is_some() {
            let some: Vec<_> = deltas.by_ref().take(AT_ONCE).collect();
            let mut writer = self.store.write();
            for delta in some {
                make(delta, &mut writer, seen.as_deref_mut(), &mut events);
            }
        }
        followers.tell(events)
    }

    /// Removes what was not seen in a list of a namespace, or of all, and says how many objects that were.
    pub(super) fn sweep(&self, namespace: Option<&str>, seen: &Slots) -> usize {
        let mut followers = self.followers();
        let gone = self.store.write().slots(namespace).minus(seen);
        let gone: Vec<Slot> = gone.iter().collect();
        for slots in gone.chunks(AT_ONCE) {
            let mut writer = self.store.write();
            let removed = slots.iter().map(|slot| writer.remove(*slot));
            let events: Vec<_> = removed.map(Event::Deleted).collect();
            drop(writer);
            followers.tell(events);
        }
        gone.len()
    }

    /// Says that all there was has been told.
    pub(super) fn synced(&self) {
        let mut followers = self.followers();
        if !std::mem::replace(&mut followers.synced, true) {
            followers.tell(vec![Event::Synced]);
        }
    }

    /// Ends all subscriptions.
    pub(super) fn close(&self) {
        self.followers().fanout.close();
    }

    /// An index may have come since an object was prepared.
    fn complete(&self, delta: Delta<K>, indexes: usize) -> Delta<K> {
        match delta {
            Delta::Apply(object) if object.indexes() < indexes => {
                Delta::Apply(self.store.prepare(object.object().clone()))
            }
            delta => delta,
        }
    }

    fn followers(&self) -> MutexGuard<'_, Followers<K>> {
        sync::lock(&self.followers)
    }
}

impl<K: Cached> Followers<K> {
    /// Tells of events, and says how many they are.
    fn tell<E: Into<Told<K>>>(&mut self, events: Vec<E>) -> usize {
        let count = events.len();
        if count > 0 {
            self.fanout.push(events);
        }
        count
    }
}

fn make<K: Cached>(
    delta: Delta<K>,
    writer: &mut Writer<'_, K>,
    seen: Option<&mut Slots>,
    events: &mut Vec<Told<K>>,
) {
    match delta {
        Delta::Apply(prepared) => {
            let new = prepared.object().clone();
            let Some(seen) = seen else {
                let (_, change) = writer.apply(prepared);
                return tell_of(change, new, events);
            };
            let is_outdated = |slot, known: &K, new: &K| {
                let version = new.resource_version();
                version.is_some_and(|version| has_shown_newer(seen, slot, known, version))
            };
            let Some((slot, change)) = writer.apply_unless(prepared, is_outdated) else {
                return;
            };
            seen.insert(slot);
            tell_of(change, new, events);
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

fn tell_of<K: Cached>(change: Change<K>, new: Arc<K>, events: &mut Vec<Told<K>>) {
    match change {
        Change::Added => events.push(Event::Added(new).into()),
        Change::Unchanged => {}
        Change::Updated { old } => events.push(Event::Updated { old, new }.into()),
        Change::Replaced { old } => {
            events.extend([Event::Deleted(old), Event::Added(new)].map(Told::from));
        }
    }
}

#[cfg(all(test, crdkit_loom))]
mod modelled;
