use std::{fmt, hash::Hash, ops::Deref, time::Duration};

use super::{Queue, trigger::Attempt};

/// A key that was claimed from a [`Queue`].
///
/// The queue does not hand it out again until you drop the item, which marks the key as done, or [put it
/// back](Self::put_back) unprocessed.
#[must_use = "dropping it marks the key as done"]
pub struct WorkItem<Q: Clone + Eq + Hash> {
    queue: Queue<Q>,
    key: Q,
    attempt: Attempt,
    end: End,
}

/// What happens to the key when the item is dropped.
#[derive(Clone, Copy)]
enum End {
    Release,
    PutBack,
    /// It has been completed.
    Nothing,
}

impl<Q: Clone + Eq + Hash> WorkItem<Q> {
    pub(super) fn new(queue: Queue<Q>, key: Q, attempt: Attempt) -> Self {
        Self { queue, key, attempt, end: End::Release }
    }

    pub(super) fn attempt(&self) -> &Attempt {
        &self.attempt
    }

    /// Returns the key to the queue unprocessed.
    ///
    /// It is the next key that is handed out, unless the queue is shut down. If it is put back again, another key is first. This
    /// does not count as a failure.
    pub fn put_back(mut self) {
        self.end = End::PutBack;
    }

    /// Marks the key as done after a success, and adds it again after a delay.
    pub(super) fn complete(mut self, requeue_after: Option<Duration>) {
        self.end = End::Nothing;
        self.queue.complete(&self.key, requeue_after);
    }

    /// Returns the key.
    pub fn key(&self) -> &Q {
        &self.key
    }
}

impl<Q: Clone + Eq + Hash> Deref for WorkItem<Q> {
    type Target = Q;

    fn deref(&self) -> &Q {
        &self.key
    }
}

impl<Q: Clone + Eq + Hash + fmt::Debug> fmt::Debug for WorkItem<Q> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("WorkItem").field(&self.key).finish()
    }
}

impl<Q: Clone + Eq + Hash> Drop for WorkItem<Q> {
    fn drop(&mut self) {
        match self.end {
            End::PutBack => self.queue.put_back(&self.key),
            End::Release => self.queue.release(&self.key),
            End::Nothing => {}
        }
    }
}
