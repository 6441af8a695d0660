//! The store and those who follow it, changed together.

use std::sync::Arc;

use hashbrown::HashSet;

use super::{
    Cached, Event, ObjectKey, Problem, UnreadableObject,
    events::{Fanout, Leftovers, Objects, Subscription, Told},
    store::{AnyIndex, Change, IndexPanic, Prepared, Slot, Slots, Store, Writer},
    sync::{self, Mutex, MutexGuard},
    unreadable::{UnreadableState, Unreadables},
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

/// The objects on which closures of indexes panicked.
type Panicked<K> = Vec<(Arc<K>, IndexPanic)>;

/// What came of changes.
pub(super) struct Committed<K> {
    /// How many events there were.
    pub(super) events: usize,
    /// States that do not fit, and that were not known.
    pub(super) unreadable: Vec<Problem>,
    /// Closures of indexes panicked, beside those that did before.
    pub(super) panicked: Panicked<K>,
}

/// What changes are about to leave.
struct Outcome<K> {
    events: Vec<Told<K>>,
    unreadable: Vec<Problem>,
    /// Dropped when the locks are free: that may be the program's code.
    dropped: Vec<Arc<K>>,
}

pub(super) struct Cache<K: Cached> {
    pub(super) store: Store<K>,
    /// Locked before the store is, so that who begins to follow misses nothing and is told nothing twice.
    followers: Mutex<Followers<K>>,
}

struct Followers<K: Cached> {
    fanout: Fanout<K>,
    synced: bool,
    unreadable: Unreadables,
}

impl<K: Cached> Cache<K> {
    pub(super) fn new(store: Store<K>) -> Self {
        Self {
            store,
            followers: Mutex::new(Followers {
                fanout: Fanout::default(),
                synced: false,
                unreadable: Unreadables::default(),
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
    pub(super) fn add_index(&self, index: &AnyIndex<K>) -> Panicked<K> {
        {
            let _followers = self.followers();
            self.store.announce(index);
        }
        self.store.fill(index)
    }

    /// The objects that do not fit now, by their keys.
    pub(super) fn unreadable(&self) -> Vec<UnreadableObject> {
        let followers = self.followers();
        let lister = self.store.lister();
        let mut states: Vec<_> = followers.unreadable.states().collect();
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
        self.followers().unreadable.len()
    }

    /// Makes changes and tells of them. What there was is noted in `seen`, if it is given.
    pub(super) fn commit(
        &self,
        deltas: &mut Vec<Delta<K>>,
        mut seen: Option<&mut Seen>,
    ) -> Committed<K> {
        let (mut followers, panicked) = self.complete(deltas);
        let mut outcome = Outcome {
            events: Vec::with_capacity(deltas.len()),
            unreadable: Vec::new(),
            dropped: Vec::new(),
        };
        let mut deltas = deltas.drain(..).peekable();
        while deltas.peek().is_some() {
            let mut writer = self.store.write();
            for delta in deltas.by_ref().take(AT_ONCE) {
                let (seen, unreadable) = (seen.as_deref_mut(), &mut followers.unreadable);
                make(delta, &mut writer, seen, unreadable, &mut outcome);
            }
        }
        let events = outcome.events.len();
        let leftovers = followers.tell(outcome.events);
        drop(followers);
        drop((outcome.dropped, leftovers));
        Committed {
            events,
            unreadable: outcome.unreadable,
            panicked,
        }
    }

    /// Removes what was not seen in a list of a namespace, or of all, and says how many objects that were.
    pub(super) fn sweep(&self, namespace: Option<&str>, seen: &Seen) -> usize {
        let mut leftovers = Vec::new();
        let mut followers = self.followers();
        let gone = self.store.write().slots(namespace).minus(&seen.slots);
        followers.unreadable.sweep(namespace, &seen.unreadable);
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
    fn complete(&self, deltas: &mut [Delta<K>]) -> (MutexGuard<'_, Followers<K>>, Panicked<K>) {
        let mut panicked = Vec::new();
        loop {
            let followers = self.followers();
            let indexes = self.store.indexes();
            let incomplete = |delta: &Delta<K>| matches!(delta, Delta::Apply(object) if object.indexes() < indexes);
            if !deltas.iter().any(incomplete) {
                return (followers, panicked);
            }
            drop(followers);
            for delta in &mut *deltas {
                if let Delta::Apply(object) = delta {
                    let known = object.panics().len();
                    self.store.complete(object);
                    let new = object.panics()[known..].iter();
                    panicked.extend(new.map(|panic| (object.object().clone(), panic.clone())));
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

fn make<K: Cached>(
    delta: Delta<K>,
    writer: &mut Writer<'_, K>,
    seen: Option<&mut Seen>,
    unreadable: &mut Unreadables,
    outcome: &mut Outcome<K>,
) {
    match delta {
        Delta::Apply(prepared) => {
            let new = prepared.object().clone();
            let Some(seen) = seen else {
                let (_, change) = writer.apply(prepared);
                unreadable.remove(&*new);
                return tell_of(change, new, outcome);
            };
            let is_outdated = |slot, known: &K, new: &K| {
                let version = new.resource_version();
                version.is_some_and(|version| has_shown_newer(&seen.slots, slot, known, version))
            };
            let Some((slot, change)) = writer.apply_unless(prepared, is_outdated) else {
                return outcome.dropped.push(new);
            };
            seen.slots.insert(slot);
            unreadable.remove(&*new);
            tell_of(change, new, outcome);
        }
        Delta::Seen(key) => {
            let found = writer.find(key.namespace(), key.name());
            if let (Some(seen), Some((slot, _))) = (seen, found) {
                seen.slots.insert(slot);
                unreadable.remove_key(key.namespace(), key.name());
            }
        }
        Delta::Unreadable(state) => {
            let found = writer.find(state.key.namespace(), state.key.name());
            let found = found.map(|(slot, known)| (slot, known.uid() == state.uid.as_deref()));
            if let Some((slot, false)) = found {
                outcome
                    .events
                    .push(Event::Deleted(writer.remove(slot)).into());
            }
            if let Some(seen) = seen {
                seen.unreadable.insert(state.key.clone());
                if let Some((slot, true)) = found {
                    seen.slots.insert(slot);
                }
            }
            outcome.unreadable.extend(unreadable.insert(*state));
        }
        Delta::Delete {
            key,
            uid,
            version,
            last,
        } => {
            match seen {
                None => unreadable.remove_key(key.namespace(), key.name()),
                Some(_) => unreadable.remove_older(&key, uid.as_deref(), &version),
            }
            outcome.dropped.extend(last.clone());
            let found = writer.find(key.namespace(), key.name());
            let Some((slot, known)) = found else { return };
            let same = known.uid() == uid.as_deref();
            // Of what a list does not show in the end nothing stays anyway.
            let is_newer = |seen: &mut Seen| has_shown_newer(&seen.slots, slot, &**known, &version);
            if seen.is_some_and(|seen| !same || is_newer(seen)) {
                return;
            }
            let known = writer.remove(slot);
            outcome
                .events
                .push(Told::deleted(known, last.filter(|_| same)));
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

fn tell_of<K: Cached>(change: Change<K>, new: Arc<K>, outcome: &mut Outcome<K>) {
    let Outcome {
        events, dropped, ..
    } = outcome;
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
