//! Fills a queue from subscriptions.

use std::{
    hash::Hash,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{ObjectKey, Queue, ready::Priority, source::QueueSource, trigger::Trigger};
use crate::informer::{CacheObject, Event, Subscription};

impl<Q: Clone + Eq + Hash> Queue<Q> {
    /// Adds the keys that a function returns for each event, until the subscription ends or the queue is shut down.
    ///
    /// You can feed a queue from any number of subscriptions of any kinds. Keys of objects that changed are handed out
    /// before those of objects that a subscription delivers at its start or by a
    /// [resync](crate::informer::Subscription::resync), which wait [within a bound](Self#order).
    ///
    /// If the function panics, this is logged with [`tracing::error!`], and the event adds no keys.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use crdkit::informer::{Event, ObjectKey, Queue, Subscription};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// let mut config = ConfigMap::default();
    /// config.metadata.name = Some("web".into());
    /// config.metadata.namespace = Some("prod".into());
    /// let events = Subscription::from_iter([Event::Added(Arc::new(config)), Event::Synced]);
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let queue = Queue::new();
    /// queue.feed(events, ObjectKey::of_object).await;
    /// assert_eq!(queue.get().await.unwrap().to_string(), "prod/web");
    /// # });
    /// ```
    pub async fn feed<K: CacheObject, I: IntoIterator<Item = Q>>(
        &self,
        subscription: Subscription<K>,
        keys: impl FnMut(&Event<K>) -> I,
    ) {
        self.feed_observed(&Trigger::Change, subscription, keys, |_, _| ()).await;
    }

    async fn feed_observed<K: CacheObject, I: IntoIterator<Item = Q>>(
        &self,
        change: &Trigger,
        mut subscription: Subscription<K>,
        mut keys: impl FnMut(&Event<K>) -> I,
        observe: impl Fn(&Q, &Event<K>),
    ) {
        let mut is_synced = false;
        loop {
            let batch = tokio::select! {
                batch = subscription.next_batch() => batch,
                () = self.wait_for_shutdown() => None,
            };
            let Some(batch) = batch else {
                return;
            };
            let mut added = Vec::new();
            for event in &batch {
                is_synced |= matches!(event, Event::Synced);
                let (priority, trigger) = cause_of(event, is_synced, change);
                for key in keys_of(event, &mut keys) {
                    if priority == Priority::Changed {
                        observe(&key, event);
                    }
                    added.push((key, priority, trigger.clone()));
                }
            }
            self.add_all(added);
        }
    }
}

impl Queue<ObjectKey> {
    /// Like [`feed`](Self::feed), with the source of the events.
    pub(in crate::informer) async fn feed_from<K: CacheObject, I: IntoIterator<Item = ObjectKey>>(
        &self,
        source: QueueSource,
        subscription: Subscription<K>,
        keys: impl FnMut(&Event<K>) -> I,
    ) {
        self.feed_observed(&source.change, subscription, keys, |key, event| source.observe(key, event)).await;
    }
}

fn cause_of<K>(event: &Event<K>, is_synced: bool, change: &Trigger) -> (Priority, Trigger) {
    match event {
        Event::Added(_) if !is_synced => (Priority::Listed, Trigger::FirstList),
        // A resync repeats the object.
        Event::Updated { old, new } if Arc::ptr_eq(old, new) => (Priority::Listed, Trigger::Resync),
        _ => (Priority::Changed, change.clone()),
    }
}

/// Returns the keys of an event; none if the function panics.
fn keys_of<K: CacheObject, Q, I: IntoIterator<Item = Q>>(
    event: &Event<K>,
    keys: &mut impl FnMut(&Event<K>) -> I,
) -> Vec<Q> {
    // A panic leaves nothing of this crate in the middle of a change: the event is only read, and no keys were added.
    let added = catch_unwind(AssertUnwindSafe(|| keys(event).into_iter().collect()));
    added.unwrap_or_else(|_| {
        let object = event.object().map(|object| ObjectKey::of(&**object));
        tracing::error!(?object, "a function that maps events to keys panicked");
        Vec::new()
    })
}
