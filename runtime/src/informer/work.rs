//! The work queue of an informer.

use std::{
    fmt::Display,
    future::{Future, pending},
    pin::Pin,
};

use futures_util::future::join_all;
use kube_core::Resource;

use super::{
    Action, Backoff, Cached, Event, Filter, Informer, ObjectKey, OwnerPlace, Queue, SyncError,
};

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<T: Cached> Informer<T> {
    /// A queue of the objects that change, and of those that other objects ask for.
    ///
    /// ```no_run
    /// use crdkit::informer::{Action, Informers, Lister, ObjectKey};
    /// use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Pod};
    ///
    /// async fn reconcile(sets: Lister<ReplicaSet>, key: ObjectKey) -> Result<Action, crdkit::client::Error> {
    ///     let Some(set) = sets.find(key.namespace(), key.name()) else {
    ///         return Ok(Action::Done); // it is gone
    ///     };
    ///     // Make the cluster as `set` says ...
    ///     Ok(Action::Done)
    /// }
    ///
    /// # async fn example(client: crdkit::Client) {
    /// let informers = Informers::new(client);
    /// let sets = informers.of::<ReplicaSet>().start();
    /// let pods = informers.of::<Pod>().start();
    /// let lister = sets.lister();
    /// let work = sets.queue().owns(&pods).until(tokio::signal::ctrl_c());
    /// work.run(8, move |key| reconcile(lister.clone(), key)).await;
    /// # }
    /// ```
    pub fn queue(&self) -> Work<T> {
        Work {
            informer: self.clone(),
            queue: Queue::new(),
            filter: Filter::for_reconciling(),
            synced: Vec::new(),
            feeds: Vec::new(),
            shutdown: None,
        }
    }
}

/// Work on the objects of an informer, each in turn. See [`Queue`] for what holds for it.
#[must_use = "nothing is done until it is run"]
pub struct Work<T: Cached> {
    informer: Informer<T>,
    queue: Queue<ObjectKey>,
    filter: Filter<T>,
    /// Wait for the other informers.
    synced: Vec<Job>,
    /// Add what events of the other informers ask for.
    feeds: Vec<Job>,
    shutdown: Option<Job>,
}

impl<T: Cached> Work<T> {
    /// Which updates of the objects matter: those of the [generation, the deletion and the
    /// finalizers](Filter::for_reconciling) unless set.
    pub fn filter(mut self, filter: Filter<T>) -> Self {
        self.filter = filter;
        self
    }

    /// How long to wait after failures.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.queue = self.queue.with_backoff(backoff);
        self
    }

    /// Looks at an object also when one that it controls changes.
    pub fn owns<C: Cached>(self, owned: &Informer<C>) -> Self
    where
        T::Kind: Resource<DynamicType = (), Scope: OwnerPlace<T::Kind>>,
    {
        self.also(owned, ObjectKey::of_controller::<T::Kind, C>)
    }

    /// Looks also at the objects that events of another kind ask for.
    pub fn also<C, I>(
        mut self,
        other: &Informer<C>,
        keys: impl FnMut(&Event<C>) -> I + Send + 'static,
    ) -> Self
    where
        C: Cached,
        I: IntoIterator<Item = ObjectKey> + Send + 'static,
    {
        let (queue, events) = (self.queue.clone(), other.subscribe());
        self.synced.push(Box::pin(settled(other.clone())));
        self.feeds
            .push(Box::pin(async move { queue.feed(events, keys).await }));
        self
    }

    /// Ends the work when a future is ready, such as a signal of the operating system.
    pub fn until<O>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(Box::pin(async move { drop(shutdown.await) }));
        self
    }

    /// The queue, to add keys to it, to look at its metrics and to shut it down.
    pub fn handle(&self) -> Queue<ObjectKey> {
        self.queue.clone()
    }

    /// Waits until all informers have told what there is, and reconciles the objects, so many at once but never one twice
    /// at a time, until the queue is shut down or the informer ends, and what was begun is done.
    ///
    /// Watches that are refused are not waited for: they are [problems](Informer::problems) of their informer. Who must
    /// not begin without all objects waits for [`Informer::synced`] of all informers first.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with a timer.
    pub async fn run<F, R, E>(self, concurrency: usize, reconcile: F)
    where
        F: Fn(ObjectKey) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let events = self.informer.subscribe().filter(self.filter);
        let feed = self.queue.feed(events, ObjectKey::of_object);
        let shutdown = self.shutdown.unwrap_or_else(|| Box::pin(pending()));
        let end = async {
            tokio::select! {
                () = feed => {}
                () = shutdown => {}
            }
            self.queue.shut_down();
        };
        let work = async {
            let others = join_all(self.synced);
            tokio::select! {
                _ = async { tokio::join!(settled(self.informer.clone()), others) } => {}
                () = self.queue.shut() => {}
            }
            self.queue.run(concurrency, reconcile).await;
        };
        tokio::join!(end, join_all(self.feeds), work);
    }
}

/// Waits until an informer has told what there is, or as much of it as it may see.
async fn settled<T: Cached>(informer: Informer<T>) {
    if let Err(error @ SyncError::Refused(_)) = informer.synced().await {
        tracing::warn!(
            "work begins without all objects: {}",
            crate::client::error::OneLine(&error)
        );
    }
}
