use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Sleep, sleep};

use super::channel::Channel;
use crate::informer::{CacheObject, Event};

/// Objects of a snapshot.
pub(crate) type Objects<K> = Box<dyn Iterator<Item = Arc<K>> + Send + Sync>;

/// Takes a snapshot of the store between two batches: it holds the mutex of the [`Fanout`](super::Fanout) meanwhile.
pub(crate) type Snapshots<K> = Arc<dyn Fn() -> Objects<K> + Send + Sync>;

/// Tells all objects again every so often.
pub(super) struct Resync<K> {
    every: Duration,
    snapshots: Snapshots<K>,
    due: Option<Pin<Box<Sleep>>>,
    objects: Option<Objects<K>>,
}

impl<K: CacheObject> Resync<K> {
    pub(super) fn new(every: Duration, snapshots: Snapshots<K>) -> Self {
        Self {
            every,
            snapshots,
            due: None,
            objects: None,
        }
    }

    /// The next object that is told again.
    pub(super) fn next(&mut self) -> Option<Event<K>> {
        let object = take_next(&mut self.objects)?;
        Some(Event::Updated {
            old: object.clone(),
            new: object,
        })
    }

    /// Waits until it is time, and takes a snapshot if it fits what was told: if nothing waited before it was taken, and
    /// nothing came meanwhile. Otherwise it tries again when that is told.
    pub(super) fn poll(&mut self, feed: &Channel<K>, context: &mut Context<'_>) -> Poll<()> {
        let due = self.due.get_or_insert_with(|| Box::pin(sleep(self.every)));
        ready!(due.as_mut().poll(context));
        let before = feed.idle();
        if before.is_some() {
            let objects = (self.snapshots)();
            if feed.idle() == before {
                // It can be set anew for an instant only, and the longest durations have none.
                due.set(sleep(self.every));
                self.objects = Some(objects);
            }
        }
        Poll::Ready(())
    }
}

/// The next object; there are none any more after the last one, so that the snapshot is not kept.
pub(super) fn take_next<K>(objects: &mut Option<Objects<K>>) -> Option<Arc<K>> {
    let object = objects.as_mut()?.next();
    if object.is_none() {
        *objects = None;
    }
    object
}
