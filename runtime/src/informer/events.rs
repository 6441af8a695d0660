//! Delivers events to subscribers.

use std::sync::{Arc, Weak};

use self::channel::Channel;
use super::CacheObject;

mod batches;
mod buffer;
mod change;
mod channel;
mod coalescing_queue;
mod filter;
mod leftovers;
mod lossless;
mod notification;
mod resync;
mod subscription;

pub use filter::Filter;
pub(crate) use leftovers::Leftovers;
pub use lossless::{Lossless, Overflow};
pub(crate) use notification::Notification;
pub(crate) use resync::Objects;
pub use subscription::Subscription;

/// The subscribers of a store.
///
/// A mutex protects it, which the writer holds while it changes the store and pushes the events. A thread that holds
/// the mutex sees the store between two batches, so a subscriber that is added there misses no event and receives none
/// twice.
pub(crate) struct Fanout<K: CacheObject> {
    feeds: Vec<Weak<Channel<K>>>,
    closed: bool,
}

impl<K: CacheObject> Fanout<K> {
    /// Adds a subscriber.
    ///
    /// It first receives a snapshot of the store, and [`Event::Synced`](super::Event::Synced) if the store is already
    /// synced.
    pub(crate) fn subscribe(
        &mut self,
        snapshot: impl Iterator<Item = Arc<K>> + Send + Sync + 'static,
        synced: bool,
    ) -> Subscription<K> {
        self.feeds.retain(|feed| feed.strong_count() > 0);
        let feed = Arc::new(Channel::new());
        if self.closed {
            feed.close();
        } else {
            self.feeds.push(Arc::downgrade(&feed));
        }
        Subscription::new(feed, Box::new(snapshot), synced)
    }

    /// Pushes a batch to all subscribers, without waiting for them.
    pub(crate) fn push<E: Into<Notification<K>>>(
        &mut self,
        batch: impl IntoIterator<Item = E>,
    ) -> Leftovers<K> {
        let batch: Vec<Notification<K>> = batch.into_iter().map(Into::into).collect();
        let mut leftovers = Leftovers::default();
        if self.feeds.is_empty() || batch.is_empty() {
            leftovers.events = batch;
            return leftovers;
        }
        let batch: Arc<[_]> = batch.into();
        self.feeds.retain(|feed| match feed.upgrade() {
            Some(feed) => {
                feed.push(&batch, &mut leftovers);
                leftovers.feeds.push(feed);
                true
            }
            None => false,
        });
        leftovers.batches.push(batch);
        leftovers
    }

    /// Ends all subscriptions after their buffered events.
    pub(crate) fn close(&mut self) -> Leftovers<K> {
        self.closed = true;
        let feeds = self.feeds.drain(..).filter_map(|feed| feed.upgrade());
        let feeds: Vec<_> = feeds.inspect(|feed| feed.close()).collect();
        Leftovers {
            feeds,
            ..Leftovers::default()
        }
    }
}

impl<K: CacheObject> Default for Fanout<K> {
    fn default() -> Self {
        Self {
            feeds: Vec::new(),
            closed: false,
        }
    }
}

impl<K: CacheObject> Drop for Fanout<K> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

#[cfg(all(test, crdkit_loom))]
mod modelled;
#[cfg(all(test, not(crdkit_loom)))]
mod tests;
