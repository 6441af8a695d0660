//! Streams of the program that add keys.

use futures_util::{Stream, StreamExt};

use super::ControllerBuilder;
use crate::controller::{
    ReconciledKind,
    triggers::{TriggerItem, TriggerStream},
};

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Reconciles the objects whose keys a stream returns: a channel, a timer, or the changes of another system.
    ///
    /// The items are [keys](crate::controller::ObjectKey), lists of keys, [all objects](crate::controller::TriggeredKeys), or a `Result`
    /// of them. The name is for logs, metrics and health checks.
    ///
    /// - The stream is read once the caches are complete, also on a [standby](crate::controller::Manager::leader_election), whose keys wait
    ///   in the queue as those of other sources do, and until the shutdown begins. Each replica reads its own stream: one that takes
    ///   messages out of a queue that replicas share belongs into a [task](crate::controller::Task::on_leader) of the leader, which sends
    ///   the keys through a channel.
    /// - An error is logged and counted, and a warning of the [readiness check](crate::controller::ServeOptions) `triggers` until the next
    ///   key. Then the stream is read on.
    /// - The end of the stream, and a panic, is logged and remains a warning of the check. The controller continues without it.
    /// - A key in a namespace that the controller does not [select](Self::select), or in a shard that this replica does not hold, is
    ///   dropped. One without an object is that of a deleted object: only [`reconcile_key`](Self::reconcile_key) sees it. An object that a
    ///   selection by labels or fields excludes looks the same.
    /// - A key that is queued is not added again, and what is queued when the program ends is gone: each object is reconciled after a
    ///   start anyway.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use crdkit::{controller::{ControllerBuilder, TriggeredKeys}, informer::ObjectKey, k8s_openapi::api::core::v1::ConfigMap};
    /// use futures_util::stream;
    /// use tokio::sync::mpsc;
    ///
    /// # fn example(builder: ControllerBuilder<ConfigMap>) {
    /// // A channel, whose sender an HTTP server has.
    /// let (sender, mut keys) = mpsc::channel::<ObjectKey>(100);
    /// let builder = builder.trigger("github", stream::poll_fn(move |cx| keys.poll_recv(cx)));
    ///
    /// // A timer, for all objects.
    /// let hourly = stream::unfold((), async |()| {
    ///     tokio::time::sleep(Duration::from_secs(3600)).await;
    ///     Some((TriggeredKeys::All, ()))
    /// });
    /// let builder = builder.trigger("hourly", hourly);
    /// # }
    /// ```
    #[doc(alias("source.Channel", "reconcile_on", "reconcile_all_on", "EventSource"))]
    pub fn trigger<S>(mut self, name: &str, stream: S) -> Self
    where
        S: Stream<Item: TriggerItem> + Send + 'static,
    {
        self.settings
            .triggers
            .push(TriggerStream { name: name.to_owned(), items: stream.map(TriggerItem::into_keys).boxed() });
        self
    }
}
