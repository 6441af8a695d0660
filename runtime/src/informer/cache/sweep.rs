//! Removes the objects that a list did not return.

use super::{Cache, DELTAS_PER_LOCK, Seen};
use crate::informer::{CacheObject, Event, store::Slot};

impl<K: CacheObject> Cache<K> {
    /// Removes the objects that a list did not return, and returns their number.
    ///
    /// `namespace` is the namespace of the list, `None` for all.
    pub(in crate::informer) fn sweep(&self, namespace: Option<&str>, seen: &Seen) -> usize {
        let mut deferred = Vec::new();
        let mut subscribers = self.subscribers();
        let gone = self.store.write().slots(namespace).minus(&seen.slots);
        subscribers.current_problems.unreadable.sweep(namespace, &seen.unreadable);
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
