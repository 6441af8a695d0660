use std::{
    future::poll_fn,
    iter,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::Stream;

use super::{
    DeferredDrops, EventStream, Filter, Lossless, buffer::OverflowPolicy, channel::Channel, notification::Notification,
};
use crate::informer::{CacheObject, Event};

/// A stream of the events of an informer.
///
/// It starts with the current objects as [`Event::Added`], followed by [`Event::Synced`] and then each change. If the
/// informer is not synced yet, [`Event::Synced`] follows as soon as it is. When the informer stops, the stream ends
/// after the buffered events. Drop a subscription to unsubscribe.
///
/// ```
/// use std::sync::Arc;
///
/// use crdkit::informer::{Event, Subscription};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// async fn names(mut events: Subscription<ConfigMap>) -> Vec<String> {
///     let mut names = Vec::new();
///     while let Some(event) = events.next().await {
///         match event {
///             Event::Added(config) => names.extend(config.metadata.name.clone()),
///             Event::Updated { .. } => {}
///             Event::Deleted(config) => names.retain(|name| config.metadata.name.as_ref() != Some(name)),
///             Event::Synced => names.sort(),
///         }
///     }
///     names
/// }
///
/// let mut config = ConfigMap::default();
/// config.metadata.name = Some("web".into());
/// let events = Subscription::from_iter([Event::Added(Arc::new(config)), Event::Synced]); // as in a test
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(names(events).await, ["web"]);
/// # });
/// ```
///
/// # Slow subscribers
///
/// Each subscription has its own buffer, so a slow subscriber delays neither the informer nor other subscribers. A
/// subscriber that keeps up receives every change, once, in the order in which the informer received it. When more than
/// [1,024 events](Self::merge_beyond) are buffered, they are merged until all of them are delivered, so that at most
/// two are buffered for an object:
///
/// | buffered | new | delivered |
/// |---|---|---|
/// | added | updated | added, with the current state |
/// | added | deleted | nothing |
/// | updated | updated | updated, from the last delivered state to the current one |
/// | updated | deleted | deleted, with the last state |
/// | deleted | added: another object with the same name | both |
/// | deleted | added: the same object, which matches the selection again | updated, from the last delivered state to the current one |
///
/// Changes of one object keep their order. A merged change takes the position of the first change in it, so that an
/// object that changes all the time is not starved. Changes of different objects may be delivered in a different order
/// than they occurred. [`lossless`](Self::lossless) never merges.
#[doc(alias("ResourceEventHandler", "EventHandler"))]
pub struct Subscription<K: CacheObject> {
    events: EventStream,
    kind: PhantomData<fn() -> K>,
}

impl<K: CacheObject> Subscription<K> {
    pub(crate) fn new(events: EventStream) -> Self {
        Self { events, kind: PhantomData }
    }

    /// Returns the next event; `None` once the informer has stopped.
    ///
    /// This method is cancel safe.
    pub async fn next(&mut self) -> Option<Event<K>> {
        poll_fn(|context| self.poll_event(context)).await
    }

    /// Returns all buffered events in order, at least one; `None` once the informer has stopped.
    ///
    /// A batch contains at most 1,024 events. This method is cancel safe.
    pub async fn next_batch(&mut self) -> Option<Vec<Event<K>>> {
        poll_fn(|context| self.poll_batch(context)).await
    }

    /// Delivers only updates that a filter selects; with several filters, only those that all select.
    ///
    /// Updates that are filtered out still count as delivered: the `old` of the next update is the state right before
    /// it.
    #[must_use]
    pub fn filter(self, filter: Filter<K>) -> Self {
        Self::new(self.events.filter(filter.into_stored()))
    }

    /// Sets the number of buffered events above which changes are merged: 1,024 by default. With 0, they are always
    /// merged.
    #[must_use]
    pub fn merge_beyond(self, events: usize) -> Self {
        self.events.set_policy(OverflowPolicy::Coalesce(events));
        self
    }

    /// Converts to a subscription that never merges changes.
    ///
    /// If more than `capacity` changes are buffered, the subscription ends with an error.
    ///
    /// No change before the error is lost. If buffered changes are already merged at this call, the subscription ends
    /// with that error.
    ///
    /// The initial objects do not count towards the capacity. All changes of a batch count at once: an informer
    /// delivers all changes that it reads together in one batch, up to several hundred, and the changes of a large list
    /// as fast as it is read.
    pub fn lossless(self, capacity: usize) -> Lossless<K> {
        self.events.set_policy(OverflowPolicy::Drop(capacity));
        Lossless::new(self)
    }

    /// Repeats each object at this interval, as an update whose `old` and `new` are the same.
    ///
    /// Repeated objects bypass the filter, and wait until all buffered changes are delivered. A duration of zero
    /// disables the resync.
    ///
    /// Use this for controllers that also manage resources outside the cluster. It is not needed to make up for lost
    /// events, because an informer loses none.
    ///
    /// # Panics
    ///
    /// Reading the subscription panics outside a tokio runtime with a timer.
    #[must_use]
    pub fn resync(self, every: Duration) -> Self {
        Self::new(self.events.resync(every))
    }

    pub(super) fn dropped(&self) -> u64 {
        self.events.dropped()
    }

    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        self.events.poll_event(context).map(|event| event.map(Event::typed))
    }

    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<Event<K>>>> {
        let batch = self.events.poll_batch(context);
        batch.map(|batch| batch.map(|batch| batch.into_iter().map(Event::typed).collect()))
    }
}

impl<K: CacheObject> Stream for Subscription<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        self.poll_event(context)
    }
}

/// Delivers these events and ends, for tests of event handlers.
impl<K: CacheObject> FromIterator<Event<K>> for Subscription<K> {
    fn from_iter<I: IntoIterator<Item = Event<K>>>(events: I) -> Self {
        let channel = Channel::new();
        channel.set_policy(OverflowPolicy::Coalesce(usize::MAX));
        let events = events.into_iter().map(Notification::from).collect();
        channel.push(&events, &mut DeferredDrops::default());
        channel.close();
        Self::new(EventStream::new(Arc::new(channel), Box::new(iter::empty()), false))
    }
}

#[cfg(test)]
impl<K: CacheObject> Subscription<K> {
    pub(super) fn slots(&self) -> usize {
        self.events.slots()
    }
}
