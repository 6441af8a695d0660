//! The work queue of an informer.

mod error;
mod needed;

use std::{
    fmt::Display,
    future::{Future, pending},
    pin::Pin,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use kube_core::Resource;

use self::needed::AllNeeded;
use super::{Action, Backoff, CacheObject, Event, Filter, Informer, ObjectKey, OwnerScope, Queue};

pub use error::{RunError, UnsyncedWatch};

/// How long informers may take to read all objects, unless set: the default of controller-runtime's `CacheSyncTimeout`.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A job that nobody looks at before it is done, so that threads may share who has it.
struct Later(Mutex<Job>);

impl Later {
    fn new(job: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(job)))
    }

    fn into_job(self) -> Job {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: CacheObject> Informer<T> {
    /// A queue of the objects that change, and of those that other objects ask for.
    ///
    /// ```no_run
    /// use crdkit::informer::{Action, Informers, Lister, ObjectKey, shutdown_signal};
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
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
    /// let informers = Informers::new(client);
    /// let sets = informers.of::<ReplicaSet>().start();
    /// let pods = informers.of::<Pod>().start();
    /// let lister = sets.lister();
    /// let work = sets.queue().owns(&pods).until(shutdown_signal());
    /// work.run(8, move |key| reconcile(lister.clone(), key)).await
    /// # }
    /// ```
    ///
    /// [`Work`](Work#what-a-reconcile-costs) has how many requests a reconcile makes, and which [rights](Work#rights) it takes.
    pub fn queue(&self) -> Work<T> {
        let mut needed = AllNeeded::default();
        needed.add(self.running().clone());
        Work {
            informer: self.clone(),
            queue: Queue::new(),
            filter: Filter::for_reconciling(),
            needed,
            sync_timeout: SYNC_TIMEOUT,
            feeds: Vec::new(),
            shutdown: None,
        }
    }
}

/// Work on the objects of an informer, each in turn. See [`Queue`] for what holds for it.
///
#[doc = include_str!("requests.md")]
#[doc(alias("Controller", "reconcile", "Reconciler", "RBAC", "ClusterRole"))]
#[must_use = "nothing is done until it is run"]
pub struct Work<T: CacheObject> {
    informer: Informer<T>,
    queue: Queue<ObjectKey>,
    filter: Filter<T>,
    needed: AllNeeded,
    sync_timeout: Duration,
    /// Add what events of the other informers ask for.
    feeds: Vec<Later>,
    shutdown: Option<Later>,
}

impl<T: CacheObject> Work<T> {
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
    pub fn owns<C: CacheObject>(self, owned: &Informer<C>) -> Self
    where
        T::Kind: Resource<DynamicType = (), Scope: OwnerScope<T::Kind>>,
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
        C: CacheObject,
        I: IntoIterator<Item = ObjectKey> + Send + 'static,
    {
        let (queue, events) = (self.queue.clone(), other.subscribe());
        self.needed.add(other.running().clone());
        let feed = async move { queue.feed(events, keys).await };
        self.feeds.push(Later::new(feed));
        self
    }

    /// Waits also until another informer has read all its objects, because the reconciler looks them up. Its events add no
    /// keys: that is what [`owns`](Self::owns) and [`also`](Self::also) are for, which wait as well.
    ///
    /// Without this a reconciler may begin while a lister that it uses shows none of the objects that there are.
    pub fn reads<C: CacheObject>(mut self, other: &Informer<C>) -> Self {
        self.needed.add(other.running().clone());
        self
    }

    /// Ends the work when a future is ready, such as a signal of the operating system.
    pub fn until<O>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(Later::new(async move { drop(shutdown.await) }));
        self
    }

    /// The queue, to add keys to it, to look at its metrics and to shut it down.
    pub fn handle(&self) -> Queue<ObjectKey> {
        self.queue.clone()
    }

    /// How long the informers may take to read all their objects before anything is reconciled: 2 minutes unless set, as
    /// controller-runtime's `CacheSyncTimeout`. With [`Duration::MAX`] it is waited without end.
    pub fn sync_timeout(mut self, sync_timeout: Duration) -> Self {
        self.sync_timeout = sync_timeout;
        self
    }

    /// Begins also if an informer cannot read all its objects: its watches that are refused are not waited for, and the
    /// others only for the [limit](Self::sync_timeout), after which a warning says what is missing.
    ///
    /// Until then a lister of that informer shows fewer objects than there are, or none: a reconciler that creates what
    /// it does not find there creates it again. It makes no difference when this is called, before or after
    /// [`owns`](Self::owns) and [`also`](Self::also).
    pub fn start_without<C: CacheObject>(mut self, informer: &Informer<C>) -> Self {
        self.needed.start_without(informer.running().clone());
        self
    }

    /// How long reconciliations that run may go on after the end: 30 s unless set, as controller-runtime's
    /// `GracefulShutdownTimeout`. With zero, nothing is waited for; with [`Duration::MAX`], all of it without end.
    pub fn drain_timeout(mut self, drain_timeout: Duration) -> Self {
        self.queue = self.queue.with_drain_timeout(drain_timeout);
        self
    }

    /// Waits until all informers have read all their objects, and reconciles the objects, so many at once but never one
    /// twice at a time, until the queue is shut down and what was begun is done.
    ///
    /// An error of `reconcile` is a warning through `tracing`, and its key is tried again later: without a subscriber, such as
    /// that of `tracing-subscriber`, nobody sees it.
    ///
    /// A watch that is refused, such as for want of rights or of a definition that is not served yet, is tried again and
    /// waited for like any other. If this is dropped, what runs is cancelled.
    ///
    /// # Errors
    ///
    /// - [`RunError::NotSynced`], if an informer has not read all its objects in [time](Self::sync_timeout). Nothing was
    ///   reconciled. One that may be [left out](Self::start_without) is no reason.
    /// - [`RunError::Stopped`], if an informer is stopped, whose objects would only get older. What was begun is finished first.
    /// - [`RunError::Undrained`], if reconciliations still run some [time](Self::drain_timeout) after the end: they are
    ///   cancelled. If an informer was stopped, too, that is the error, and [`RunError::undrained`] has both.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with a timer.
    pub async fn run<F, R, E>(self, concurrency: usize, reconcile: F) -> Result<(), RunError>
    where
        F: Fn(ObjectKey) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let (queue, needed) = (&self.queue, &self.needed);
        let events = self.informer.subscribe().filter(self.filter);
        let feed = queue.feed(events, ObjectKey::of_object);
        let shutdown = self.shutdown.unwrap_or_else(|| Later::new(pending()));
        let shutdown = shutdown.into_job();
        let feeds = self.feeds.into_iter().map(Later::into_job);
        let end = async {
            let ended = tokio::select! {
                biased;
                () = queue.shut() => Ok(()),
                () = shutdown => Ok(()),
                error = needed.stopped() => Err(error),
            };
            queue.shut_down();
            ended
        };
        let work = async {
            let begins = tokio::select! {
                biased;
                () = queue.shut() => Ok(()),
                synced = needed.synced(self.sync_timeout) => synced,
            };
            if begins.is_err() {
                queue.shut_down();
            }
            begins?;
            Ok(queue.run(concurrency, reconcile).await?)
        };
        let (ended, worked, ..) = tokio::join!(end, work, feed, join_all(feeds));
        RunError::join(ended, worked)
    }
}

#[cfg(all(test, not(crdkit_loom)))]
mod tests;
