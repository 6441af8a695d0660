//! What waits for one subscriber.

use std::{mem, sync::Arc};

use super::{batches::Batches, merged::Merged, told::Told};
use crate::informer::{Cached, Event};

/// So many events wait as they came, unless the subscriber wants it otherwise.
const FEW: usize = 1_024;

pub(super) struct Waiting<K> {
    events: Events<K>,
    limit: Limit,
    missed: u64,
}

enum Events<K> {
    Apart(Batches<K>),
    Merged(Merged<K>),
}

/// How many events may wait as they came, and what becomes of more.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// All that wait are merged, until all are taken.
    Merge(usize),
    /// They are missed, and so is everything after them.
    Miss(usize),
}

impl<K: Cached> Waiting<K> {
    pub(super) fn new() -> Self {
        Self {
            events: Events::Apart(Batches::default()),
            limit: Limit::Merge(FEW),
            missed: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.events {
            Events::Apart(batches) => batches.len() == 0,
            Events::Merged(merged) => merged.len() == 0,
        }
    }

    /// How many events were missed. If any were, no more come after those that wait.
    pub(super) fn missed(&self) -> u64 {
        self.missed
    }

    pub(super) fn push(&mut self, batch: &Arc<[Told<K>]>) {
        if self.missed > 0 {
            self.missed += batch.len() as u64;
            return;
        }
        match (&mut self.events, self.limit) {
            (Events::Merged(merged), _) => batch.iter().for_each(|event| merged.push(event)),
            (Events::Apart(batches), Limit::Miss(most)) if batches.len() + batch.len() > most => {
                self.missed = batch.len() as u64;
            }
            (Events::Apart(batches), limit) => {
                batches.push(batch.clone());
                self.limit(limit);
            }
        }
    }

    pub(super) fn pop(&mut self) -> Option<Event<K>> {
        match &mut self.events {
            Events::Apart(batches) => batches.pop(),
            Events::Merged(merged) => {
                let event = merged.pop();
                if merged.len() == 0 {
                    self.events = Events::Apart(Batches::default());
                }
                event
            }
        }
    }

    /// Sets the limit, also for what waits already.
    pub(super) fn limit(&mut self, limit: Limit) {
        self.limit = limit;
        match (&mut self.events, limit) {
            (Events::Apart(batches), Limit::Merge(most)) if batches.len() > most => {
                self.events = Events::Merged(merged(batches));
            }
            (Events::Apart(batches), Limit::Miss(most)) if batches.len() > most => self.miss_all(),
            (Events::Merged(merged), Limit::Miss(most)) => {
                if merged.vanished() > 0 || merged.len() > most {
                    self.miss_all();
                } else {
                    self.events = Events::Apart(apart(merged));
                }
            }
            _ => {}
        }
    }

    fn miss_all(&mut self) {
        self.missed = match mem::replace(&mut self.events, Events::Apart(Batches::default())) {
            Events::Apart(batches) => batches.len() as u64,
            Events::Merged(merged) => merged.len() as u64 + merged.vanished(),
        };
    }
}

fn merged<K: Cached>(batches: &Batches<K>) -> Merged<K> {
    let mut merged = Merged::new();
    batches.iter().for_each(|event| merged.push(event));
    merged
}

fn apart<K: Cached>(merged: &mut Merged<K>) -> Batches<K> {
    let mut batches = Batches::default();
    batches.push(std::iter::from_fn(|| merged.pop().map(Told::from)).collect());
    batches
}

#[cfg(test)]
impl<K: Cached> Waiting<K> {
    pub(super) fn slots(&self) -> usize {
        match &self.events {
            Events::Apart(batches) => batches.len(),
            Events::Merged(merged) => merged.slots(),
        }
    }
}
