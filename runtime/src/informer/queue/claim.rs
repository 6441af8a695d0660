use std::{fmt, hash::Hash, ops::Deref};

use super::Queue;

/// A key that was taken from a [`Queue`]. Nobody else gets it until this is dropped, which says that its work is done, or
/// [put back](Self::put_back), since it is not.
#[must_use = "dropping it says that the work is done"]
pub struct WorkItem<Q: Clone + Eq + Hash> {
    queue: Queue<Q>,
    key: Q,
    is_put_back: bool,
}

impl<Q: Clone + Eq + Hash> WorkItem<Q> {
    pub(super) fn new(queue: Queue<Q>, key: Q) -> Self {
        Self {
            queue,
            key,
            is_put_back: false,
        }
    }

    /// Gives the key back although its work is not done: it is the next one that is handed out, unless the queue was shut
    /// down. It does not count as a failure.
    pub fn put_back(mut self) {
        self.is_put_back = true;
    }

    /// The key.
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
        match self.is_put_back {
            true => self.queue.put_back(&self.key),
            false => self.queue.release(&self.key),
        }
    }
}
