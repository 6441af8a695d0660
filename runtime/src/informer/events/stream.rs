//! The events of an informer for one subscriber, of any type.

use std::{
    future::Future,
    mem,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::task::consume_budget;

use super::{
    buffer::OverflowPolicy,
    channel::Channel,
    filter::StoredFilter,
    resync::{Objects, Resync, Snapshots, take_next},
};
use crate::informer::{Event, stored_object::Stored};

/// Maximum number of events that are polled before yielding.
const MAX_BATCH: usize = 1_024;

type StoredEvent = Event<Stored>;

/// The state of a [`Subscription`](super::Subscription), which adds the type of the objects.
pub(crate) struct EventStream {
    channel: Arc<Channel>,
    snapshot: Option<Objects>,
    /// Whether to deliver [`Event::Synced`] after the snapshot.
    sync: bool,
    synced: bool,
    filter: Option<StoredFilter>,
    snapshots: Option<Snapshots>,
    resync: Option<Resync>,
}

impl EventStream {
    pub(super) fn new(channel: Arc<Channel>, snapshot: Objects, sync: bool) -> Self {
        Self { channel, snapshot: Some(snapshot), sync, synced: false, filter: None, snapshots: None, resync: None }
    }

    /// Sets the source of the objects that [`resync`](Self::resync) repeats.
    pub(crate) fn with_snapshots(self, snapshots: Snapshots) -> Self {
        Self { snapshots: Some(snapshots), ..self }
    }

    pub(super) fn filter(self, filter: StoredFilter) -> Self {
        let filter = match self.filter {
            Some(earlier) => earlier.and(filter),
            None => filter,
        };
        Self { filter: Some(filter), ..self }
    }

    pub(super) fn set_policy(&self, policy: OverflowPolicy) {
        self.channel.set_policy(policy);
    }

    pub(super) fn resync(self, every: Duration) -> Self {
        let snapshots = self.snapshots.clone().filter(|_| !every.is_zero());
        let resync = snapshots.map(|snapshots| Resync::new(every, snapshots));
        Self { resync, ..self }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.channel.dropped()
    }

    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<StoredEvent>> {
        loop {
            ready!(pin!(consume_budget()).poll(context));
            let event = ready!(self.poll_unfiltered(context));
            if event.as_ref().is_none_or(|event| self.passes_filter(event)) {
                return Poll::Ready(event);
            }
        }
    }

    pub(super) fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<StoredEvent>>> {
        ready!(pin!(consume_budget()).poll(context));
        let mut batch = Vec::new();
        for _ in 0..MAX_BATCH {
            match self.poll_unfiltered(context) {
                Poll::Ready(Some(event)) if self.passes_filter(&event) => batch.push(event),
                Poll::Ready(Some(_)) => {}
                Poll::Ready(None) if batch.is_empty() => return Poll::Ready(None),
                Poll::Pending if batch.is_empty() => return Poll::Pending,
                Poll::Ready(None) | Poll::Pending => break,
            }
        }
        if batch.is_empty() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(batch))
    }

    fn passes_filter(&self, event: &StoredEvent) -> bool {
        let filter = self.filter.as_ref();
        is_repeated(event) || filter.is_none_or(|filter| filter.selects(event))
    }

    fn poll_unfiltered(&mut self, context: &mut Context<'_>) -> Poll<Option<StoredEvent>> {
        loop {
            let repeated = || self.resync.as_mut().and_then(Resync::next);
            let initial = take_next(&mut self.snapshot).map(Event::Added);
            if let Some(event) = initial.or_else(repeated) {
                return Poll::Ready(Some(event));
            }
            if mem::take(&mut self.sync) {
                self.synced = true;
                return Poll::Ready(Some(Event::Synced));
            }
            match (self.channel.poll(context), &mut self.resync) {
                (Poll::Ready(Some(Event::Synced)), _) if mem::replace(&mut self.synced, true) => {}
                (Poll::Pending, Some(resync)) => ready!(resync.poll(&self.channel, context)),
                (event, _) => return event,
            }
        }
    }
}

fn is_repeated(event: &StoredEvent) -> bool {
    matches!(event, Event::Updated { old, new } if Arc::ptr_eq(old, new))
}

#[cfg(test)]
impl EventStream {
    pub(super) fn slots(&self) -> usize {
        self.channel.slots()
    }
}
