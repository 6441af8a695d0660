use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::Stream;

use super::Subscription;
use crate::informer::{CacheObject, Event};

/// The buffer of a [`Lossless`] subscription overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{dropped} events were dropped because the subscription was read too slowly: subscribe again")]
#[non_exhaustive]
pub struct Overflow {
    /// The number of events that were not delivered.
    pub dropped: u64,
}

/// A subscription that never merges changes.
///
/// If its buffer overflows, it ends with an [`Overflow`] after the buffered events.
pub struct Lossless<K: CacheObject> {
    subscription: Subscription<K>,
    ended: bool,
}

impl<K: CacheObject> Lossless<K> {
    pub(super) fn new(subscription: Subscription<K>) -> Self {
        Self { subscription, ended: false }
    }

    /// Returns the next event or an overflow; `None` after an overflow, and once the informer has stopped.
    pub async fn next(&mut self) -> Option<Result<Event<K>, Overflow>> {
        poll_fn(|context| self.poll_event(context)).await
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event<K>, Overflow>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let event = ready!(self.subscription.poll_event(context));
        self.ended = event.is_none();
        Poll::Ready(event.map(Ok).or_else(|| self.overflow().map(Err)))
    }

    fn overflow(&self) -> Option<Overflow> {
        let dropped = self.subscription.dropped();
        (dropped > 0).then_some(Overflow { dropped })
    }
}

impl<K: CacheObject> Stream for Lossless<K> {
    type Item = Result<Event<K>, Overflow>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_event(context)
    }
}
