//! The buffered events of one subscriber.

use std::{mem, sync::Arc};

use super::{DeferredDrops, batches::Batches, coalescing_queue::CoalescingQueue, notification::Notification};
use crate::informer::{Event, stored_object::Stored};

/// Default number of buffered events above which they are merged.
const DEFAULT_CAPACITY: usize = 1_024;

/// A value to drop after the event that was popped, when no lock is held.
pub(super) enum DeferredDrop {
    Nothing,
    #[allow(dead_code, reason = "held only to be dropped")]
    Batch(Arc<[Notification]>),
    #[allow(dead_code, reason = "held only to be dropped")]
    Object(Arc<Stored>),
}

pub(super) struct Buffer {
    events: Events,
    policy: OverflowPolicy,
    dropped: u64,
}

enum Events {
    Separate(Batches),
    CoalescingQueue(CoalescingQueue),
}

/// The capacity of the buffer, and what happens to events beyond it.
#[derive(Clone, Copy)]
pub(super) enum OverflowPolicy {
    /// All buffered events are merged, until all are delivered.
    Coalesce(usize),
    /// The events beyond the capacity and all later ones are dropped.
    Drop(usize),
}

impl Buffer {
    pub(super) fn new() -> Self {
        Self {
            events: Events::Separate(Batches::default()),
            policy: OverflowPolicy::Coalesce(DEFAULT_CAPACITY),
            dropped: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.events {
            Events::Separate(batches) => batches.len() == 0,
            Events::CoalescingQueue(coalesced) => coalesced.len() == 0,
        }
    }

    /// Returns the number of dropped events. If any were dropped, the subscription ends after the buffered ones.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn push(&mut self, batch: &Arc<[Notification]>, deferred: &mut DeferredDrops) {
        if self.dropped > 0 {
            self.dropped += batch.len() as u64;
            return;
        }
        match (&mut self.events, self.policy) {
            (Events::CoalescingQueue(coalesced), _) => {
                let mut push = |event| coalesced.push(event, &mut deferred.objects);
                batch.iter().for_each(&mut push);
            }
            (Events::Separate(batches), OverflowPolicy::Drop(capacity)) if batches.len() + batch.len() > capacity => {
                self.dropped = batch.len() as u64;
            }
            (Events::Separate(batches), policy) => {
                batches.push(batch.clone());
                self.set_policy(policy, deferred);
            }
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Event<Stored>, DeferredDrop)> {
        match &mut self.events {
            Events::Separate(batches) => batches.pop(),
            Events::CoalescingQueue(coalesced) => {
                let event = coalesced.pop();
                if coalesced.len() == 0 {
                    self.events = Events::Separate(Batches::default());
                }
                event
            }
        }
    }

    /// Sets the policy, and applies it to the buffered events.
    pub(super) fn set_policy(&mut self, policy: OverflowPolicy, deferred: &mut DeferredDrops) {
        self.policy = policy;
        match (&mut self.events, policy) {
            (Events::Separate(batches), OverflowPolicy::Coalesce(capacity)) if batches.len() > capacity => {
                let coalesced = coalesce(batches, deferred);
                deferred.batches.extend(mem::take(batches).into_batches());
                self.events = Events::CoalescingQueue(coalesced);
            }
            (Events::Separate(batches), OverflowPolicy::Drop(capacity)) if batches.len() > capacity => {
                self.drop_all(deferred);
            }
            (Events::CoalescingQueue(coalesced), OverflowPolicy::Drop(capacity)) => {
                if coalesced.coalesced() > 0 || coalesced.len() > capacity {
                    self.drop_all(deferred);
                } else {
                    self.events = Events::Separate(separate(coalesced, deferred));
                }
            }
            _ => {}
        }
    }

    fn drop_all(&mut self, deferred: &mut DeferredDrops) {
        self.dropped = match mem::replace(&mut self.events, Events::Separate(Batches::default())) {
            Events::Separate(batches) => {
                let dropped = batches.len();
                deferred.batches.extend(batches.into_batches());
                dropped as u64
            }
            Events::CoalescingQueue(mut coalesced) => {
                let dropped = coalesced.len() as u64 + coalesced.coalesced();
                deferred.events.extend(drain(&mut coalesced, &mut deferred.objects));
                dropped
            }
        };
    }
}

fn coalesce(batches: &Batches, deferred: &mut DeferredDrops) -> CoalescingQueue {
    let mut coalesced = CoalescingQueue::new();
    let events = batches.iter();
    events.for_each(|event| coalesced.push(event, &mut deferred.objects));
    coalesced
}

fn separate(coalesced: &mut CoalescingQueue, deferred: &mut DeferredDrops) -> Batches {
    let mut batches = Batches::default();
    batches.push(drain(coalesced, &mut deferred.objects).collect());
    batches
}

/// Drains all events.
///
fn drain(coalesced: &mut CoalescingQueue, deferred: &mut Vec<Arc<Stored>>) -> impl Iterator<Item = Notification> {
    std::iter::from_fn(|| {
        let (event, deferred_drop) = coalesced.pop()?;
        if let DeferredDrop::Object(object) = deferred_drop {
            deferred.push(object);
        }
        Some(Notification::from(event))
    })
}

#[cfg(test)]
impl Buffer {
    pub(super) fn slots(&self) -> usize {
        match &self.events {
            Events::Separate(batches) => batches.len(),
            Events::CoalescingQueue(coalesced) => coalesced.slots(),
        }
    }
}
