use std::{
    future::{Future, poll_fn},
    iter, mem,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::Stream;
use tokio::task::consume_budget;

use super::{
    Filter, Leftovers, Lossless,
    buffer::Limit,
    channel::Channel,
    notification::Notification,
    resync::{Objects, Resync, Snapshots, take_next},
};
use crate::informer::{CacheObject, Event};

/// So many events are looked at before others get their turn.
const AT_ONCE: usize = 1_024;

/// What happens to the objects of an informer.
///
/// First come all objects that there are, as [`Event::Added`], then [`Event::Synced`], then each change. If the informer is
/// not synced yet, it comes as soon as it is. The stream ends when the informer does, after what was left to tell. A
/// subscription that is dropped costs nothing any more.
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
/// Each subscription has a queue of its own, so that nobody waits for another one, the informer least of all. Who keeps
/// up is told every change, once, in the order in which the informer learned of them. When more than
/// [1,024 events](Self::merge_beyond) wait, they are merged until all have been told, so that at most two wait for an
/// object:
///
/// | waits | comes | is told |
/// |---|---|---|
/// | added | updated | added, as it is now |
/// | added | deleted | nothing |
/// | updated | updated | updated, from what was told last to what is now |
/// | updated | deleted | deleted, as it was last |
/// | deleted | added: another object of this name | both |
/// | deleted | added: the same object, which had left a selection and is back | updated, from what was told last to what is now |
///
/// Changes of an object keep their order, and a merged one has the place of the first that went into it: an object that
/// changes all the time has its turn like the others. Changes of different objects may be told in another order than they
/// happened in. [`lossless`](Self::lossless) never merges.
#[doc(alias("ResourceEventHandler", "EventHandler"))]
pub struct Subscription<K: CacheObject> {
    feed: Arc<Channel<K>>,
    snapshot: Option<Objects<K>>,
    /// Whether [`Event::Synced`] comes after the snapshot, whatever comes then.
    sync: bool,
    synced: bool,
    filter: Option<Filter<K>>,
    snapshots: Option<Snapshots<K>>,
    resync: Option<Resync<K>>,
}

impl<K: CacheObject> Subscription<K> {
    pub(super) fn new(feed: Arc<Channel<K>>, snapshot: Objects<K>, sync: bool) -> Self {
        Self {
            feed,
            snapshot: Some(snapshot),
            sync,
            synced: false,
            filter: None,
            snapshots: None,
            resync: None,
        }
    }

    /// With what [`resync`](Self::resync) tells again.
    pub(crate) fn with_snapshots(self, snapshots: Snapshots<K>) -> Self {
        Self {
            snapshots: Some(snapshots),
            ..self
        }
    }

    /// The next event; `None` once the informer has ended. Nothing is lost if this is dropped before it is ready.
    pub async fn next(&mut self) -> Option<Event<K>> {
        poll_fn(|context| self.poll_event(context)).await
    }

    /// All that waits, in order, and at least one event; `None` once the informer has ended. More than 1,024 events come
    /// in several batches. Nothing is lost if this is dropped before it is ready.
    pub async fn next_batch(&mut self) -> Option<Vec<Event<K>>> {
        poll_fn(|context| self.poll_batch(context)).await
    }

    /// Only updates that a filter tells; with several filters, those that all tell.
    ///
    /// What is held back still counts as told: the `old` of an update is the object as it was before that update.
    #[must_use]
    pub fn filter(self, filter: Filter<K>) -> Self {
        let filter = match self.filter {
            Some(earlier) => earlier.and(filter),
            None => filter,
        };
        Self {
            filter: Some(filter),
            ..self
        }
    }

    /// Merges changes when more than so many wait: after 1,024 unless set, and always with 0.
    #[must_use]
    pub fn merge_beyond(self, events: usize) -> Self {
        self.feed.limit(Limit::Coalesce(events));
        self
    }

    /// Never merges changes: if more than `capacity` of them wait, the subscription ends with an error.
    ///
    /// No change is lost in between. If some that are still to be told have been merged already, the subscription says so
    /// with that error.
    ///
    /// The objects at the beginning do not count, and what comes at once counts at once: an informer tells of all that it
    /// reads together, up to some hundred changes, and a list of many objects as fast as it is read.
    pub fn lossless(self, capacity: usize) -> Lossless<K> {
        self.feed.limit(Limit::Drop(capacity));
        Lossless::new(self)
    }

    /// Tells each object again every so often, as an update from itself to itself, whatever the filter says. It waits
    /// until all changes have been told. With a duration of zero it never does.
    ///
    /// This is for controllers that look after something outside of the cluster too. To make up for lost events is not
    /// needed: an informer loses none.
    ///
    /// # Panics
    ///
    /// The subscription panics when it is read outside of a tokio runtime with a timer.
    #[must_use]
    pub fn resync(self, every: Duration) -> Self {
        let snapshots = self.snapshots.clone().filter(|_| !every.is_zero());
        let resync = snapshots.map(|snapshots| Resync::new(every, snapshots));
        Self { resync, ..self }
    }

    pub(super) fn missed(&self) -> u64 {
        self.feed.missed()
    }

    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            ready!(pin!(consume_budget()).poll(context));
            let event = ready!(self.poll_unfiltered(context));
            if event.as_ref().is_none_or(|event| self.tells(event)) {
                return Poll::Ready(event);
            }
        }
    }

    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<Event<K>>>> {
        ready!(pin!(consume_budget()).poll(context));
        let mut batch = Vec::new();
        for _ in 0..AT_ONCE {
            match self.poll_unfiltered(context) {
                Poll::Ready(Some(event)) if self.tells(&event) => batch.push(event),
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

    fn tells(&self, event: &Event<K>) -> bool {
        let filter = self.filter.as_ref();
        is_repeated(event) || filter.is_none_or(|filter| filter.tells(event))
    }

    fn poll_unfiltered(&mut self, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            let repeated = || self.resync.as_mut().and_then(Resync::next);
            let begun = take_next(&mut self.snapshot).map(Event::Added);
            if let Some(event) = begun.or_else(repeated) {
                return Poll::Ready(Some(event));
            }
            if mem::take(&mut self.sync) {
                self.synced = true;
                return Poll::Ready(Some(Event::Synced));
            }
            match (self.feed.poll(context), &mut self.resync) {
                (Poll::Ready(Some(Event::Synced)), _) if mem::replace(&mut self.synced, true) => {}
                (Poll::Pending, Some(resync)) => ready!(resync.poll(&self.feed, context)),
                (event, _) => return event,
            }
        }
    }
}

fn is_repeated<K>(event: &Event<K>) -> bool {
    matches!(event, Event::Updated { old, new } if Arc::ptr_eq(old, new))
}

impl<K: CacheObject> Stream for Subscription<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        self.poll_event(context)
    }
}

/// Tells just these events, and ends: to test what handles events.
impl<K: CacheObject> FromIterator<Event<K>> for Subscription<K> {
    fn from_iter<I: IntoIterator<Item = Event<K>>>(events: I) -> Self {
        let feed = Channel::new();
        feed.limit(Limit::Coalesce(usize::MAX));
        let events = events.into_iter().map(Notification::from).collect();
        feed.push(&events, &mut Leftovers::default());
        feed.close();
        Self::new(Arc::new(feed), Box::new(iter::empty()), false)
    }
}

#[cfg(test)]
impl<K: CacheObject> Subscription<K> {
    pub(super) fn slots(&self) -> usize {
        self.feed.slots()
    }
}
