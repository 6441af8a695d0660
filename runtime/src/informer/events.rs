//! Delivers events to subscribers.

use std::sync::{Arc, Weak};

use self::channel::Channel;
use super::stored_object::Stored;

mod batches;
mod buffer;
mod channel;
mod coalescing_queue;
mod deferred_drops;
mod filter;
mod lossless;
mod notification;
mod pending_change;
mod resync;
mod stream;
mod subscription;

pub(crate) use deferred_drops::DeferredDrops;
pub use filter::Filter;
pub use lossless::{Lossless, Overflow};
pub(crate) use notification::Notification;
pub(crate) use resync::Objects;
pub(crate) use stream::EventStream;
pub use subscription::Subscription;

/// The subscribers of a store.
///
/// A mutex protects it, which the writer holds while it changes the store and pushes the events. A thread that holds
/// the mutex sees the store between two batches, so a subscriber that is added there misses no event and receives none
/// twice.
#[derive(Default)]
pub(crate) struct Fanout {
    channels: Vec<Weak<Channel>>,
    closed: bool,
}

impl Fanout {
    /// Adds a subscriber.
    ///
    /// It first receives a snapshot of the store, and [`Event::Synced`](super::Event::Synced) if the store is already
    /// synced.
    pub(crate) fn subscribe(
        &mut self,
        snapshot: impl Iterator<Item = Arc<Stored>> + Send + Sync + 'static,
        synced: bool,
    ) -> EventStream {
        self.channels.retain(|channel| channel.strong_count() > 0);
        let channel = Arc::new(Channel::new());
        if self.closed {
            channel.close();
        } else {
            self.channels.push(Arc::downgrade(&channel));
        }
        EventStream::new(channel, Box::new(snapshot), synced)
    }

    /// Pushes a batch to all subscribers, without waiting for them.
    pub(crate) fn push<E: Into<Notification>>(&mut self, batch: impl IntoIterator<Item = E>) -> DeferredDrops {
        let batch: Vec<Notification> = batch.into_iter().map(Into::into).collect();
        let mut deferred = DeferredDrops::default();
        if self.channels.is_empty() || batch.is_empty() {
            deferred.events = batch;
            return deferred;
        }
        let batch: Arc<[_]> = batch.into();
        self.channels.retain(|channel| match channel.upgrade() {
            Some(channel) => {
                channel.push(&batch, &mut deferred);
                deferred.channels.push(channel);
                true
            }
            None => false,
        });
        deferred.batches.push(batch);
        deferred
    }

    /// Ends all subscriptions after their buffered events.
    pub(crate) fn close(&mut self) -> DeferredDrops {
        self.closed = true;
        let channels: Vec<_> = self
            .channels
            .drain(..)
            .filter_map(|channel| channel.upgrade())
            .inspect(|channel| channel.close())
            .collect();
        DeferredDrops { channels, ..DeferredDrops::default() }
    }
}

impl Drop for Fanout {
    fn drop(&mut self) {
        drop(self.close());
    }
}

#[cfg(test)]
mod loom_tests;
#[cfg(test)]
mod tests;
