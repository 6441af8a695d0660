//! Applies deltas to the store, one by one.

use std::sync::Arc;

use super::{Delta, Seen};
use crate::informer::{
    Cached, Event, ObjectKey, Problem,
    events::Told,
    store::{Change, Prepared, Slot, Slots, Writer},
    unreadable::{UnreadableState, Unreadables},
};

/// What deltas have changed.
pub(super) struct Changes<K> {
    pub(super) events: Vec<Told<K>>,
    pub(super) unreadable: Vec<Problem>,
    /// Dropped when the locks are free: that may be the program's code.
    pub(super) dropped: Vec<Arc<K>>,
}

impl<K: Cached> Changes<K> {
    pub(super) fn with_capacity(deltas: usize) -> Self {
        Self {
            events: Vec::with_capacity(deltas),
            unreadable: Vec::new(),
            dropped: Vec::new(),
        }
    }

    pub(super) fn apply(
        &mut self,
        delta: Delta<K>,
        writer: &mut Writer<'_, K>,
        seen: Option<&mut Seen>,
        unreadable: &mut Unreadables,
    ) {
        match delta {
            Delta::Apply(prepared) => self.put(prepared, writer, seen, unreadable),
            Delta::Seen(key) => mark_seen(&key, writer, seen, unreadable),
            Delta::Unreadable(state) => self.note_unreadable(*state, writer, seen, unreadable),
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
                self.dropped.extend(last.clone());
                self.delete(&key, uid.as_deref(), &version, last, writer, seen);
            }
        }
    }

    fn put(
        &mut self,
        prepared: Prepared<K>,
        writer: &mut Writer<'_, K>,
        seen: Option<&mut Seen>,
        unreadable: &mut Unreadables,
    ) {
        let new = prepared.object().clone();
        let is_outdated = |slot, known: &K, new: &K| {
            let shown = seen.as_deref().zip(new.resource_version());
            shown.is_some_and(|(seen, version)| has_shown_newer(&seen.slots, slot, known, version))
        };
        let Some((slot, change)) = writer.apply_unless(prepared, is_outdated) else {
            return self.dropped.push(new);
        };
        if let Some(seen) = seen {
            seen.slots.insert(slot);
        }
        unreadable.remove(&*new);
        match change {
            Change::Added => self.events.push(Event::Added(new).into()),
            Change::Unchanged => self.dropped.push(new),
            Change::Updated { old } => self.events.push(Event::Updated { old, new }.into()),
            Change::Replaced { old } => {
                let events = [Event::Deleted(old), Event::Added(new)];
                self.events.extend(events.map(Told::from));
            }
        }
    }

    /// Keeps the last good state, unless it is that of another object.
    fn note_unreadable(
        &mut self,
        state: UnreadableState,
        writer: &mut Writer<'_, K>,
        seen: Option<&mut Seen>,
        unreadable: &mut Unreadables,
    ) {
        let found = writer.find(state.key.namespace(), state.key.name());
        let found = found.map(|(slot, known)| (slot, known.uid() == state.uid.as_deref()));
        if let Some((slot, false)) = found {
            let gone = writer.remove(slot);
            self.events.push(Event::Deleted(gone).into());
        }
        if let Some(seen) = seen {
            seen.unreadable.insert(state.key.clone());
            if let Some((slot, true)) = found {
                seen.slots.insert(slot);
            }
        }
        self.unreadable.extend(unreadable.insert(state));
    }

    fn delete(
        &mut self,
        key: &ObjectKey,
        uid: Option<&str>,
        version: &str,
        last: Option<Arc<K>>,
        writer: &mut Writer<'_, K>,
        seen: Option<&mut Seen>,
    ) {
        let Some((slot, known)) = writer.find(key.namespace(), key.name()) else {
            return;
        };
        let same = known.uid() == uid;
        // Of what a list does not show in the end nothing stays anyway.
        let is_newer = |seen: &mut Seen| has_shown_newer(&seen.slots, slot, &**known, version);
        if seen.is_some_and(|seen| !same || is_newer(seen)) {
            return;
        }
        let known = writer.remove(slot);
        let last = last.filter(|_| same);
        self.events.push(Told::deleted(known, last));
    }
}

fn mark_seen<K: Cached>(
    key: &ObjectKey,
    writer: &Writer<'_, K>,
    seen: Option<&mut Seen>,
    unreadable: &mut Unreadables,
) {
    let found = writer.find(key.namespace(), key.name());
    if let (Some(seen), Some((slot, _))) = (seen, found) {
        seen.slots.insert(slot);
        unreadable.remove_key(key.namespace(), key.name());
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
