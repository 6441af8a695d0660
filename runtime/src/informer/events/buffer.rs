//! What waits for one subscriber.

use std::{mem, sync::Arc};

use super::{
    Leftovers, batches::Batches, coalescing_queue::CoalescingQueue, notification::Notification,
};
use crate::informer::{CacheObject, Event};

/// So many events wait as they came, unless the subscriber wants it otherwise.
const FEW: usize = 1_024;

/// What an event leaves that was taken. No lock is to be held when it is dropped.
pub(super) enum Leftover<K> {
    Nothing,
    #[allow(dead_code, reason = "it is there to be dropped")]
    Batch(Arc<[Notification<K>]>),
    #[allow(dead_code, reason = "it is there to be dropped")]
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

/// How many events may wait as they came, and what becomes of more.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// All that wait are merged, until all are taken.
    Coalesce(usize),
    /// They are missed, and so is everything after them.
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

    /// How many events were missed. If any were, no more come after those that wait.
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

    /// Sets the limit, also for what waits already.
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

/// Takes all events.
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
