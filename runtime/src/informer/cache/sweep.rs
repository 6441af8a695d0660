//! Removes the objects that a list did not return, and those of shards that are no longer held.

use std::ptr;

use hashbrown::HashSet;

use super::{Cache, DELTAS_PER_LOCK, Seen};
use crate::informer::{Event, store::Slot, stored_object::Stored};

impl Cache {
    /// Removes objects that still exist, so that subscribers receive no deletion.
    pub(in crate::informer) fn remove_excluded(&self, namespace: Option<&str>, is_excluded: impl Fn(&Stored) -> bool) {
        let is_listed = |object: &Stored| namespace.is_none() || object.namespace() == namespace;
        let mut excluded: Vec<_> = self.store.snapshot().collect();
        excluded.retain(|object| is_listed(&**object) && is_excluded(&**object));
        for objects in excluded.chunks(DELTAS_PER_LOCK) {
            let mut subscribers = self.subscribers();
            let mut writer = self.store.write();
            for object in objects {
                let found = writer.find(object.namespace(), object.name());
                if let Some((slot, _)) = found.filter(|(_, found)| ptr::addr_eq(*found, &raw const **object)) {
                    // `objects` has another pointer to it.
                    drop(writer.remove(slot));
                    subscribers.current_problems.panics.remove(&**object);
                    subscribers.current_problems.undecodable.remove(&**object);
                }
            }
        }
    }

    /// Forgets a namespace that is not watched any longer. Subscribers receive no deletions.
    pub(in crate::informer) fn remove_namespace(&self, namespace: &str) {
        self.remove_excluded(Some(namespace), |_| true);
        self.subscribers().current_problems.undecodable.sweep(Some(namespace), &HashSet::new());
    }

    /// Removes the objects that a list did not return, and returns their number.
    ///
    /// `namespace` is the namespace of the list, `None` for all.
    pub(in crate::informer) fn sweep(&self, namespace: Option<&str>, seen: &Seen) -> usize {
        let mut deferred = Vec::new();
        let mut subscribers = self.subscribers();
        let gone = self.store.write().slots(namespace).minus(&seen.slots);
        subscribers.current_problems.undecodable.sweep(namespace, &seen.undecodable);
        let gone: Vec<Slot> = gone.iter().collect();
        for slots in gone.chunks(DELTAS_PER_LOCK) {
            let mut writer = self.store.write();
            let removed = slots.iter().map(|slot| {
                let gone = writer.remove(*slot);
                subscribers.current_problems.panics.remove(&*gone);
                Event::Deleted(gone).into()
            });
            let events: Vec<_> = removed.collect();
            drop(writer);
            deferred.push(subscribers.notify(events));
        }
        drop(subscribers);
        self.store.pack();
        gone.len()
    }
}
