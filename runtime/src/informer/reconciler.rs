//! Reconciles the objects of an informer.

mod dependencies;
mod error;
mod namespace_gate;

use std::{
    fmt::Display,
    future::{Future, pending, ready},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt, join_all};
use kube_core::Resource;
use tracing::Span;

use self::{dependencies::Dependencies, namespace_gate::Gate};
use super::{
    Action, Backoff, CacheObject, Event, Filter, Informer, ObjectKey, Queue, StaticScope,
    places::FactoryNamespaces,
    queue::{Attempt, EventObserver, QueueSource, ReconcileOutcome, Trigger, into_outcome, owners::OwnerKind},
};

pub use error::{RunError, UnsyncedWatch};

/// Default of [`Reconciler::sync_timeout`]: the default of controller-runtime's `CacheSyncTimeout`.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

type BoxedFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A boxed future that is `Sync`, because it is only accessed by value.
struct SyncFuture(Mutex<BoxedFuture>);

impl SyncFuture {
    fn new(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(future)))
    }

    fn into_boxed(self) -> BoxedFuture {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: CacheObject> Informer<T> {
    /// Creates a work queue for the objects of this informer.
    ///
    /// Namespaces take turns, so that one with many changes does not delay the others. Objects that changed are reconciled
    /// before those of the initial list or a resync, which wait [within a bound](Queue#order).
    ///
    /// It contains the objects that change, and those that you add for [owned](Reconciler::owns) or [other](Reconciler::watches)
    /// objects.
    ///
    /// ```no_run
    /// use crdkit::informer::{Action, Informers, Lister, ObjectKey, shutdown_signal};
    /// use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Pod};
    ///
    /// async fn reconcile(sets: Lister<ReplicaSet>, key: ObjectKey) -> Result<Action, crdkit::client::Error> {
    ///     let Some(set) = sets.find(key.namespace(), key.name()) else {
    ///         return Ok(Action::Done); // the object was deleted
    ///     };
    ///     // Bring the cluster to the desired state of `set` ...
    ///     Ok(Action::Done)
    /// }
    ///
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::informer::RunError> {
    /// let informers = Informers::new(client);
    /// let sets = informers.of::<ReplicaSet>().start();
    /// let pods = informers.of::<Pod>().start();
    /// let lister = sets.lister();
    /// let work = sets.reconciler().owns(&pods).until(shutdown_signal());
    /// work.run(8, move |key| reconcile(lister.clone(), key)).await
    /// # }
    /// ```
    ///
    /// See [`Reconciler`](Reconciler#what-a-reconcile-costs) for the number of requests of a reconciliation, and for the
    /// [permissions](Reconciler#permissions) that it requires.
    pub fn reconciler(&self) -> Reconciler<T> {
        let mut dependencies = Dependencies::default();
        dependencies.add(self.running().clone());
        Reconciler {
            informer: self.clone(),
            queue: Queue::with_groups(ObjectKey::hash_of_namespace),
            filter: Filter::for_reconciling(),
            dependencies,
            sync_timeout: SYNC_TIMEOUT,
            feeds: Vec::new(),
            shutdown: None,
            observer: None,
        }
    }

    /// Waits for all initial lists, as long as a [reconciler](Reconciler::sync_timeout) does by default.
    pub(crate) async fn listed_in_time(&self) -> Result<(), RunError> {
        let mut dependencies = Dependencies::default();
        dependencies.add(self.running().clone());
        dependencies.synced(SYNC_TIMEOUT).await
    }
}

/// A work queue that reconciles the objects of an informer. See [`Queue`] for its guarantees.
///
#[doc = include_str!("requests.md")]
#[doc(alias("Controller", "reconcile", "RBAC", "ClusterRole"))]
#[must_use = "nothing is reconciled until `run` is called"]
pub struct Reconciler<T: CacheObject> {
    informer: Informer<T>,
    queue: Queue<ObjectKey>,
    filter: Filter<T>,
    dependencies: Dependencies,
    sync_timeout: Duration,
    /// Feed the queue with the events of other informers.
    feeds: Vec<SyncFuture>,
    shutdown: Option<SyncFuture>,
    observer: Option<Arc<dyn EventObserver>>,
}

impl<T: CacheObject> Reconciler<T> {
    /// Sets which updates of the objects are reconciled.
    ///
    /// The default is updates of the [generation, the deletion and the finalizers](Filter::for_reconciling).
    pub fn filter(mut self, filter: Filter<T>) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the delays after failures.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.queue = self.queue.with_backoff(backoff);
        self
    }

    /// Reconciles an object also when an object that it controls changes.
    pub fn owns<C: CacheObject>(self, owned: &Informer<C>) -> Self
    where
        T::Kind: Resource<DynamicType = (), Scope: StaticScope<T::Kind>>,
    {
        self.feed_from(Trigger::Owned, owned, ObjectKey::of_controller::<T::Kind, C>)
    }

    /// Like [`owns`](Self::owns), for owners of a kind that is known at run time.
    pub(crate) fn owns_of_kind<C: CacheObject>(self, owner: OwnerKind<'static>, owned: &Informer<C>) -> Self {
        self.feed_from(Trigger::Owned, owned, move |event| owner.keys_of_controller(event))
    }

    /// Reconciles also the objects that a function returns for each event of another informer.
    pub fn watches<C, I>(self, other: &Informer<C>, keys: impl FnMut(&Event<C>) -> I + Send + 'static) -> Self
    where
        C: CacheObject,
        I: IntoIterator<Item = ObjectKey> + Send + 'static,
    {
        self.feed_from(Trigger::Watched, other, keys)
    }

    fn feed_from<C, I>(
        mut self,
        change: fn(Arc<str>) -> Trigger,
        other: &Informer<C>,
        keys: impl FnMut(&Event<C>) -> I + Send + 'static,
    ) -> Self
    where
        C: CacheObject,
        I: IntoIterator<Item = ObjectKey> + Send + 'static,
    {
        let (queue, events) = (self.queue.clone(), other.subscribe());
        self.dependencies.add(other.running().clone());
        let source = self.source(other, change);
        let feed = async move { queue.feed_from(source, events, keys).await };
        self.feeds.push(SyncFuture::new(feed));
        self
    }

    fn source<C: CacheObject>(&self, informer: &Informer<C>, change: impl FnOnce(Arc<str>) -> Trigger) -> QueueSource {
        let resource: Arc<str> = informer.resource().into();
        QueueSource { change: change(resource.clone()), resource, observer: self.observer.clone() }
    }

    /// Passes the changes that add keys to an observer. It applies to the informers that are added later, and to that of the
    /// objects.
    pub(crate) fn observe(mut self, observer: Arc<dyn EventObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Waits until another informer, which the reconciler reads, has completed its initial list.
    ///
    /// Its events add no keys. To add keys, use [`owns`](Self::owns) or [`watches`](Self::watches), which also wait for the
    /// informer.
    ///
    /// Without this, a reconciler may start while a lister that it uses is still empty.
    pub fn reads<C: CacheObject>(mut self, other: &Informer<C>) -> Self {
        self.dependencies.add(other.running().clone());
        self
    }

    /// Shuts down when a future completes, such as [`shutdown_signal`](super::shutdown_signal()).
    pub fn until<O>(mut self, shutdown: impl Future<Output = O> + Send + 'static) -> Self {
        self.shutdown = Some(SyncFuture::new(async move { drop(shutdown.await) }));
        self
    }

    /// Returns the queue, to add keys, read its metrics or shut it down.
    pub fn queue(&self) -> Queue<ObjectKey> {
        self.queue.clone()
    }

    /// Sets how long to wait for the initial lists of the informers: 2 minutes by default, as controller-runtime's
    /// `CacheSyncTimeout`.
    ///
    /// Nothing is reconciled before they are complete, except for [lost namespaces](Self::run). With [`Duration::MAX`], there is
    /// no limit.
    pub fn sync_timeout(mut self, sync_timeout: Duration) -> Self {
        self.sync_timeout = sync_timeout;
        self
    }

    /// Starts even if an informer cannot complete its initial list.
    ///
    /// Watches of this informer that are refused are not waited for. The others are waited for until the
    /// [timeout](Self::sync_timeout), after which a warning lists what is missing.
    ///
    /// Until the list is complete, a lister of that informer returns only some of the objects, or none. A reconciler
    /// that creates objects that it does not find there creates them again. You can call this before or after
    /// [`owns`](Self::owns) and [`watches`](Self::watches).
    pub fn start_without<C: CacheObject>(mut self, informer: &Informer<C>) -> Self {
        self.dependencies.start_without(informer.running().clone());
        self
    }

    /// Sets how long running reconciliations may continue after shutdown: 30 s by default, as controller-runtime's
    /// `GracefulShutdownTimeout`.
    ///
    /// With zero, they are cancelled immediately. With [`Duration::MAX`], there is no limit.
    pub fn drain_timeout(mut self, drain_timeout: Duration) -> Self {
        self.queue = self.queue.with_drain_timeout(drain_timeout);
        self
    }

    /// Reconciles objects until the queue is shut down and running reconciliations are complete.
    ///
    /// It first waits until all informers have completed their initial lists. At most `concurrency` reconciliations run
    /// at the same time, and never two of the same object.
    ///
    /// An error of `reconcile` is logged as a warning through `tracing`, and its key is retried later. Without a
    /// `tracing` subscriber, such as the one of `tracing-subscriber`, the error is not visible.
    ///
    /// A watch that is refused, for example because permissions are missing or the resource is not served yet, is
    /// retried and waited for like any other. If the returned future is dropped, running reconciliations are cancelled.
    ///
    /// An informer of [several namespaces](super::InformerBuilder::namespaces) survives the loss of one, for example because the
    /// namespace or its roles were deleted: it starts once one namespace is listed and the others are listed or refused, or at
    /// the [timeout](Self::sync_timeout). A warning lists those that are missing. Objects of such a namespace are reconciled once
    /// all informers have listed it.
    ///
    /// # Errors
    ///
    /// - [`RunError::NotSynced`] if an informer has not completed its initial list in any namespace within the
    ///   [timeout](Self::sync_timeout), unless it is [optional](Self::start_without). Nothing was reconciled.
    /// - [`RunError::Stopped`] if an informer is stopped, because its objects would become stale. Running
    ///   reconciliations are completed first.
    /// - [`RunError::DrainTimedOut`] if reconciliations still run at the [timeout](Self::drain_timeout) after shutdown.
    ///   They are cancelled. If an informer was stopped as well, the error is [`RunError::Stopped`], and
    ///   [`RunError::drain_timed_out`] returns the cancelled reconciliations.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime with a timer.
    pub async fn run<F, R, E>(self, concurrency: usize, reconcile: F) -> Result<(), RunError>
    where
        F: Fn(ObjectKey) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let reconcile: ReconcileKey = Box::new(move |key, _| {
            let reconcile = reconcile.clone();
            Box::pin(async move { into_outcome(reconcile(key).await) })
        });
        self.run_outcomes(concurrency, Box::pin(ready(())), Box::new(|_, _| Span::none()), reconcile).await
    }

    /// Like [`run`](Self::run), for a function that decides what happens to the key, after `begin` completes.
    pub(crate) fn run_outcomes(
        mut self,
        concurrency: usize,
        begin: BoxFuture<'static, ()>,
        span: SpanOfKey,
        reconcile: ReconcileKey,
    ) -> BoxFuture<'static, Result<(), RunError>> {
        let (queue, source) = (self.queue.clone(), self.source(&self.informer, |_| Trigger::Change));
        let events = self.informer.subscribe().filter(self.filter);
        let feed = SyncFuture::new(async move { queue.feed_from(source, events, ObjectKey::of_object).await });
        // Its changes come first, in the first poll.
        self.feeds.insert(0, feed);
        let run = ReconcilerRun {
            namespaces: self.informer.running().shared.followed.clone(),
            queue: self.queue,
            dependencies: self.dependencies,
            sync_timeout: self.sync_timeout,
            feeds: self.feeds,
            shutdown: self.shutdown,
        };
        run.start(concurrency, begin, span, reconcile)
    }
}

/// Reconciles a key.
pub(crate) type ReconcileKey = Box<dyn Fn(ObjectKey, Attempt) -> BoxFuture<'static, ReconcileOutcome> + Send + Sync>;
/// Returns the span in which a key is reconciled.
pub(crate) type SpanOfKey = Box<dyn Fn(&ObjectKey, &Attempt) -> Span + Send + Sync>;

/// A [`Reconciler`] that runs, without the type of its objects.
struct ReconcilerRun {
    /// Those whose objects are reconciled, if they may change.
    namespaces: Option<Arc<FactoryNamespaces>>,
    queue: Queue<ObjectKey>,
    dependencies: Dependencies,
    sync_timeout: Duration,
    feeds: Vec<SyncFuture>,
    shutdown: Option<SyncFuture>,
}

impl ReconcilerRun {
    /// The box is made here, where nothing is generic: what is polled in it is compiled once, and not in each program.
    fn start(
        self,
        concurrency: usize,
        begin: BoxFuture<'static, ()>,
        span: SpanOfKey,
        reconcile: ReconcileKey,
    ) -> BoxFuture<'static, Result<(), RunError>> {
        self.outcomes(concurrency, begin, span, reconcile).boxed()
    }

    async fn outcomes(
        self,
        concurrency: usize,
        begin: BoxFuture<'static, ()>,
        span: SpanOfKey,
        reconcile: ReconcileKey,
    ) -> Result<(), RunError> {
        let (queue, gate) = (&self.queue, Gate::new(self.dependencies));
        let dependencies = gate.dependencies();
        let shutdown = self.shutdown.unwrap_or_else(|| SyncFuture::new(pending())).into_boxed();
        let feeds = self.feeds.into_iter().map(SyncFuture::into_boxed);
        let end = async {
            let ended = tokio::select! {
                biased;
                () = queue.wait_for_shutdown() => Ok(()),
                () = shutdown => Ok(()),
                error = dependencies.stopped() => Err(error),
            };
            queue.shut_down();
            ended
        };
        let work = async {
            let begins = tokio::select! {
                biased;
                () = queue.wait_for_shutdown() => Ok(()),
                synced = dependencies.synced(self.sync_timeout) => synced,
            };
            if begins.is_err() {
                queue.shut_down();
            }
            begins?;
            tokio::select! {
                biased;
                () = queue.wait_for_shutdown() => {}
                () = begin => {}
            }
            let reconcile = behind(gate.clone(), self.namespaces, reconcile);
            tokio::select! {
                ended = queue.run_outcomes(concurrency, span, reconcile) => Ok(ended?),
                () = gate.follow(queue) => unreachable!("it runs until it is dropped"),
            }
        };
        let (ended, worked, _) = tokio::join!(end, work, join_all(feeds));
        RunError::join(ended, worked)
    }
}

/// Reconciles only the keys that a gate does not hold, in the selected namespaces.
fn behind(gate: Arc<Gate>, namespaces: Option<Arc<FactoryNamespaces>>, reconcile: ReconcileKey) -> ReconcileKey {
    Box::new(move |key, attempt| {
        // First, so that the namespace does not leave the caches after the gate has looked.
        let run = namespaces.as_ref().map(|namespaces| namespaces.enter(key.namespace()));
        if matches!(run, Some(None)) {
            return Box::pin(ready(ReconcileOutcome::Success(Action::Done)));
        }
        if gate.holds(&key, &attempt) {
            return Box::pin(ready(ReconcileOutcome::Postponed));
        }
        let reconciled = reconcile(key, attempt);
        let Some(run) = run.flatten() else {
            return reconciled;
        };
        Box::pin(async move {
            let outcome = reconciled.await;
            drop(run);
            outcome
        })
    })
}

#[cfg(test)]
mod tests;
