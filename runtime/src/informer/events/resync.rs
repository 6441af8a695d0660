use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Sleep, sleep};

use super::channel::Channel;
use crate::informer::{Event, stored_object::Stored};

/// The objects of a snapshot.
pub(crate) type Objects = Box<dyn Iterator<Item = Arc<Stored>> + Send + Sync>;

/// Takes a snapshot of the store between two batches, under the mutex of the [`Fanout`](super::Fanout).
pub(crate) type Snapshots = Arc<dyn Fn() -> Objects + Send + Sync>;

/// Repeats all objects at an interval.
pub(super) struct Resync {
    every: Duration,
    snapshots: Snapshots,
    due: Option<Pin<Box<Sleep>>>,
    objects: Option<Objects>,
}

impl Resync {
    pub(super) fn new(every: Duration, snapshots: Snapshots) -> Self {
        Self { every, snapshots, due: None, objects: None }
    }

    /// Returns the next repeated object.
    pub(super) fn next(&mut self) -> Option<Event<Stored>> {
        let object = take_next(&mut self.objects)?;
        Some(Event::Updated { old: object.clone(), new: object })
    }

    /// Waits for the next interval, and takes a snapshot.
    ///
    /// The snapshot is used only if it matches the delivered events: if the channel was empty before, and nothing was
    /// pushed while it was taken. Otherwise it is retried after the pushed events are delivered.
    pub(super) fn poll(&mut self, channel: &Channel, context: &mut Context<'_>) -> Poll<()> {
        let due = self.due.get_or_insert_with(|| Box::pin(sleep(self.every)));
        ready!(due.as_mut().poll(context));
        let before = channel.pushes_if_empty();
        if before.is_some() {
            let objects = (self.snapshots)();
            if channel.pushes_if_empty() == before {
                // `Sleep::reset` takes an instant, which the longest durations exceed.
                due.set(sleep(self.every));
                self.objects = Some(objects);
            }
        }
        Poll::Ready(())
    }
}

/// Returns the next object, and drops the snapshot after the last one.
pub(super) fn take_next(objects: &mut Option<Objects>) -> Option<Arc<Stored>> {
    let object = objects.as_mut()?.next();
    if object.is_none() {
        *objects = None;
    }
    object
}
