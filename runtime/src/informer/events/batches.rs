//! Buffered events, in the batches in which they arrived.

use std::{collections::VecDeque, sync::Arc};

use super::{buffer::DeferredDrop, notification::Notification};
use crate::informer::{Event, stored_object::Stored};

#[derive(Default)]
pub(super) struct Batches {
    batches: VecDeque<Arc<[Notification]>>,
    /// The number of events that were popped from the first batch.
    popped: usize,
    len: usize,
}

impl Batches {
    /// Returns the number of buffered events.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, batch: Arc<[Notification]>) {
        if !batch.is_empty() {
            self.len += batch.len();
            self.batches.push_back(batch);
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Event<Stored>, DeferredDrop)> {
        let first = self.batches.front()?;
        let event = first[self.popped].event.clone();
        self.popped += 1;
        self.len -= 1;
        if self.popped < first.len() {
            return Some((event, DeferredDrop::Nothing));
        }
        self.popped = 0;
        let batch = self.batches.pop_front()?;
        Some((event, DeferredDrop::Batch(batch)))
    }

    pub(super) fn into_batches(self) -> impl Iterator<Item = Arc<[Notification]>> {
        self.batches.into_iter()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Notification> {
        let events = self.batches.iter().flat_map(|batch| batch.iter());
        events.skip(self.popped)
    }
}
