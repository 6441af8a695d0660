//! The buffered events of one subscriber.

use std::{mem, sync::Arc};

use super::{
    Leftovers, batches::Batches, coalescing_queue::CoalescingQueue, notification::Notification,
};
use crate::informer::{CacheObject, Event};

/// Default number of buffered events above which they are merged.
const FEW: usize = 1_024;

/// A value to drop after the event that was popped, when no lock is held.
pub(super) enum Leftover<K> {
    Nothing,
    #[allow(dead_code, reason = "held only to be dropped")]
    Batch(Arc<[Notification<K>]>),
    #[allow(dead_code, reason = "held only to be dropped")]
    Object(Arc<K>),
}

pub(super) struct Buffer<K> {
    events: Events<K>,
    limit: Limit,
    missed: u64,
}

enum Events<K> {
    Apart(Batches<K>),
    CoalescingQueue(CoalescingQueue<K>),
}

/// The capacity of the buffer, and what happens to events beyond it.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// All buffered events are merged, until all are delivered.
    Coalesce(usize),
    /// The events beyond the capacity and all later ones are dropped.
    Drop(usize),
}

impl<K: CacheObject> Buffer<K> {
    pub(super) fn new() -> Self {
        Self {
            events: Events::Apart(Batches::default()),
            limit: Limit::Coalesce(FEW),
            missed: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.events {
            Events::Apart(batches) => batches.len() == 0,
            Events::CoalescingQueue(merged) => merged.len() == 0,
        }
    }

    /// Returns the number of dropped events. If any were dropped, the subscription ends after the buffered ones.
    pub(super) fn missed(&self) -> u64 {
        self.missed
    }

    pub(super) fn push(&mut self, batch: &Arc<[Notification<K>]>, leftovers: &mut Leftovers<K>) {
        if self.missed > 0 {
            self.missed += batch.len() as u64;
            return;
        }
        match (&mut self.events, self.limit) {
            (Events::CoalescingQueue(merged), _) => {
                let mut push = |event| merged.push(event, &mut leftovers.objects);
                batch.iter().for_each(&mut push);
            }
            (Events::Apart(batches), Limit::Drop(most)) if batches.len() + batch.len() > most => {
                self.missed = batch.len() as u64;
            }
            (Events::Apart(batches), limit) => {
                batches.push(batch.clone());
                self.limit(limit, leftovers);
            }
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Event<K>, Leftover<K>)> {
        match &mut self.events {
            Events::Apart(batches) => batches.pop(),
            Events::CoalescingQueue(merged) => {
                let event = merged.pop();
                if merged.len() == 0 {
                    self.events = Events::Apart(Batches::default());
                }
                event
            }
        }
    }

    /// Sets the policy, and applies it to the buffered events.
    pub(super) fn limit(&mut self, limit: Limit, leftovers: &mut Leftovers<K>) {
        self.limit = limit;
        match (&mut self.events, limit) {
            (Events::Apart(batches), Limit::Coalesce(most)) if batches.len() > most => {
                let merged = merged(batches, leftovers);
                leftovers.batches.extend(mem::take(batches).into_batches());
                self.events = Events::CoalescingQueue(merged);
            }
            (Events::Apart(batches), Limit::Drop(most)) if batches.len() > most => {
                self.miss_all(leftovers);
            }
            (Events::CoalescingQueue(merged), Limit::Drop(most)) => {
                if merged.coalesced() > 0 || merged.len() > most {
                    self.miss_all(leftovers);
                } else {
                    self.events = Events::Apart(apart(merged, leftovers));
                }
            }
            _ => {}
        }
    }

    fn miss_all(&mut self, leftovers: &mut Leftovers<K>) {
        self.missed = match mem::replace(&mut self.events, Events::Apart(Batches::default())) {
            Events::Apart(batches) => {
                let missed = batches.len();
                leftovers.batches.extend(batches.into_batches());
                missed as u64
            }
            Events::CoalescingQueue(mut merged) => {
                let missed = merged.len() as u64 + merged.coalesced();
                leftovers
                    .events
                    .extend(all(&mut merged, &mut leftovers.objects));
                missed
            }
        };
    }
}

fn merged<K: CacheObject>(
    batches: &Batches<K>,
    leftovers: &mut Leftovers<K>,
) -> CoalescingQueue<K> {
    let mut merged = CoalescingQueue::new();
    let events = batches.iter();
    events.for_each(|event| merged.push(event, &mut leftovers.objects));
    merged
}

fn apart<K: CacheObject>(
    merged: &mut CoalescingQueue<K>,
    leftovers: &mut Leftovers<K>,
) -> Batches<K> {
    let mut batches = Batches::default();
    batches.push(all(merged, &mut leftovers.objects).collect());
    batches
}

/// Drains all events.
///
fn all<K: CacheObject>(
    merged: &mut CoalescingQueue<K>,
    leftovers: &mut Vec<Arc<K>>,
) -> impl Iterator<Item = Notification<K>> {
    std::iter::from_fn(|| {
        let (event, leftover) = merged.pop()?;
        if let Leftover::Object(object) = leftover {
            leftovers.push(object);
        }
        Some(Notification::from(event))
    })
}

#[cfg(test)]
impl<K: CacheObject> Buffer<K> {
    pub(super) fn slots(&self) -> usize {
        match &self.events {
            Events::Apart(batches) => batches.len(),
            Events::CoalescingQueue(merged) => merged.slots(),
        }
    }
}
