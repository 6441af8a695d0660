//! Applies deltas to the store.

use std::sync::Arc;

use super::{Delta, Seen};
use crate::informer::{
    Event, ObjectKey, Problem,
    current_problems::CurrentProblems,
    events::Notification,
    store::{Prepared, Slot, Slots, StoreChange, Writer},
    stored_object::Stored,
    undecodable::UndecodableState,
};

/// The events, problems and dropped objects that applying deltas produced.
pub(super) struct Changes {
    pub(super) events: Vec<Notification>,
    pub(super) problems: Vec<Problem>,
    /// Dropped after the locks are released, because `Drop` may be user code.
    pub(super) dropped: Vec<Arc<Stored>>,
}

impl Changes {
    pub(super) fn with_capacity(deltas: usize) -> Self {
        Self { events: Vec::with_capacity(deltas), problems: Vec::new(), dropped: Vec::new() }
    }

    pub(super) fn apply(
        &mut self,
        delta: Delta,
        writer: &mut Writer<'_>,
        seen: Option<&mut Seen>,
        current_problems: &mut CurrentProblems,
    ) {
        match delta {
            Delta::Apply(prepared) => self.apply_object(prepared, writer, seen, current_problems),
            Delta::Seen(key) => mark_seen(&key, writer, seen, current_problems),
            Delta::Undecodable(state) => self.apply_undecodable(*state, writer, seen, current_problems),
            // A list does not return it, so it is removed at the end.
            Delta::OtherShard { .. } if seen.is_some() => {}
            Delta::OtherShard { key, uid } => {
                current_problems.undecodable.remove_key(key.namespace(), key.name());
                self.remove_foreign(&key, uid.as_deref(), writer, current_problems);
            }
            Delta::Delete { key, uid, version, last } => {
                match seen {
                    None => current_problems.undecodable.remove_key(key.namespace(), key.name()),
                    Some(_) => current_problems.undecodable.remove_older(&key, uid.as_deref(), &version),
                }
                self.dropped.extend(last.clone());
                let removed = remove(&key, uid.as_deref(), &version, writer, seen, current_problems);
                if let Some((gone, same)) = removed {
                    let last = last.filter(|_| same);
                    self.events.push(Notification::deleted(gone, last));
                }
            }
        }
    }

    fn apply_object(
        &mut self,
        mut prepared: Prepared,
        writer: &mut Writer<'_>,
        seen: Option<&mut Seen>,
        current_problems: &mut CurrentProblems,
    ) {
        let (new, panics) = (prepared.object().clone(), prepared.take_panics());
        let problems = panics.iter().map(|panic| panic.to_problem(new.namespace(), new.name()));
        self.problems.extend(problems);
        let is_outdated = |slot, known: &Stored, new: &Stored| {
            let version_pair = seen.as_deref().zip(new.resource_version());
            version_pair.is_some_and(|(seen, version)| has_listed_newer(&seen.slots, slot, known, version))
        };
        let Some((slot, change)) = writer.apply_unless(prepared, is_outdated) else {
            return self.dropped.push(new);
        };
        if let Some(seen) = seen {
            seen.slots.insert(slot);
        }
        current_problems.undecodable.remove(&*new);
        if !matches!(change, StoreChange::Unchanged) {
            current_problems.panics.replace(&*new, panics);
        }
        match change {
            StoreChange::Added => self.events.push(Event::Added(new).into()),
            StoreChange::Unchanged => self.dropped.push(new),
            StoreChange::Updated { old } => self.events.push(Event::Updated { old, new }.into()),
            StoreChange::Replaced { old } => {
                let events = [Event::Deleted(old), Event::Added(new)];
                self.events.extend(events.map(Notification::from));
            }
        }
    }

    /// Removes an object whose controller is in the shard of another process from now on.
    fn remove_foreign(
        &mut self,
        key: &ObjectKey,
        uid: Option<&str>,
        writer: &mut Writer<'_>,
        current_problems: &mut CurrentProblems,
    ) {
        let found = writer.find(key.namespace(), key.name());
        if let Some((slot, _)) = found.filter(|(_, known)| known.uid() == uid) {
            let gone = writer.remove(slot);
            current_problems.panics.remove(&*gone);
            self.events.push(Event::Deleted(gone).into());
        }
    }

    /// Retains the last good state, unless it belongs to another object.
    fn apply_undecodable(
        &mut self,
        state: UndecodableState,
        writer: &mut Writer<'_>,
        seen: Option<&mut Seen>,
        current_problems: &mut CurrentProblems,
    ) {
        let found = writer
            .find(state.key.namespace(), state.key.name())
            .map(|(slot, known)| (slot, known.uid() == state.uid.as_deref()));
        if let Some((slot, false)) = found {
            let gone = writer.remove(slot);
            current_problems.panics.remove(&*gone);
            self.events.push(Event::Deleted(gone).into());
        }
        if let Some(seen) = seen {
            seen.undecodable.insert(state.key.clone());
            if let Some((slot, true)) = found {
                seen.slots.insert(slot);
            }
        }
        self.problems.extend(current_problems.undecodable.insert(state));
    }
}

/// Removes an object. Returns it, and whether it had this uid.
fn remove(
    key: &ObjectKey,
    uid: Option<&str>,
    version: &str,
    writer: &mut Writer<'_>,
    seen: Option<&mut Seen>,
    current_problems: &mut CurrentProblems,
) -> Option<(Arc<Stored>, bool)> {
    let (slot, known) = writer.find(key.namespace(), key.name())?;
    let same = known.uid() == uid;
    // Objects that the list does not return are swept at its end.
    let is_newer = |seen: &mut Seen| has_listed_newer(&seen.slots, slot, known, version);
    if seen.is_some_and(|seen| !same || is_newer(seen)) {
        return None;
    }
    let gone = writer.remove(slot);
    current_problems.panics.remove(&*gone);
    Some((gone, same))
}

fn mark_seen(key: &ObjectKey, writer: &Writer<'_>, seen: Option<&mut Seen>, current_problems: &mut CurrentProblems) {
    let found = writer.find(key.namespace(), key.name());
    if let (Some(seen), Some((slot, _))) = (seen, found) {
        seen.slots.insert(slot);
        current_problems.undecodable.remove_key(key.namespace(), key.name());
    }
}

/// Whether the list has already returned the object at a newer resourceVersion.
fn has_listed_newer(seen: &Slots, slot: Slot, known: &Stored, version: &str) -> bool {
    let number = |version: &str| version.parse::<u64>().ok();
    let versions = known.resource_version().and_then(number).zip(number(version));
    seen.contains(slot) && versions.is_some_and(|(known, listed)| known > listed)
}
