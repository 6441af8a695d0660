//! What a controller watches, and how it runs its reconcile function.

mod observers;
mod start;

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt};

use super::{
    Access, Action, Context, Error, StaticKind,
    caches::Caches,
    finalizers::{Finalizer, MAX_FINALIZERS},
    manager::Shared,
    metrics::Counters,
    uses::{ControllerUses, Uses},
    worker::{Function, Reconcile},
};
use crate::{
    client::{OwnerScope, Verb},
    informer::{
        Backoff, Event, Filter, Informer, InformerBuilder, Informers, ObjectKey, RunError, ShardKey, Work, states,
    },
};

/// Default of [`ControllerBuilder::own_writes_timeout`].
const OWN_WRITES_TIMEOUT: Duration = Duration::from_secs(30);

/// Default of [`ControllerBuilder::drain_timeout`]. Kubernetes kills a process 30 s after SIGTERM by default: the rest is for
/// events and the lease.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// A controller, for [`Manager::add`](super::Manager::add).
///
/// [`Controller::of`] builds one.
#[must_use = "a manager runs it"]
pub struct Controller {
    connect: Box<dyn FnOnce(&Informers) -> ConnectedController + Send>,
}

/// A controller of a manager, which is not started yet.
pub(super) struct ConnectedController {
    pub(super) name: String,
    pub(super) counters: Arc<Counters>,
    pub(super) uses: Uses,
    pub(super) start: Start,
}

/// Starts the informers of a controller, and returns the future that reconciles.
type Start = Box<dyn FnOnce(&Shared) -> BoxFuture<'static, Result<(), RunError>> + Send>;

impl Controller {
    /// Configures the informers for the cluster of a manager.
    pub(super) fn connect(self, informers: &Informers) -> ConnectedController {
        (self.connect)(informers)
    }

    /// Builds a controller of a kind.
    pub fn of<K: StaticKind>() -> ControllerBuilder<K> {
        ControllerBuilder {
            name: K::kind(&()).to_lowercase(),
            state: Arc::default(),
            select: Box::new(|informer| informer),
            sources: Vec::new(),
            accesses: Vec::new(),
            finalizers: Vec::new(),
            filter: None,
            concurrency: 1,
            timeout: Duration::MAX,
            own_writes_timeout: OWN_WRITES_TIMEOUT,
            sync_timeout: None,
            drain_timeout: DRAIN_TIMEOUT,
            backoff: Backoff::default(),
        }
    }
}

/// Builds a [`Controller`]: what it watches, and how it runs the reconcile function.
#[doc(alias("Builder", "For", "Owns", "Watches", "ControllerManagedBy"))]
#[must_use = "`reconcile` completes the controller"]
pub struct ControllerBuilder<K: StaticKind, T = ()> {
    name: String,
    state: Arc<T>,
    select: Box<dyn FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send>,
    sources: Vec<Source<K>>,
    accesses: Vec<Access>,
    finalizers: Vec<Finalizer<K, T>>,
    filter: Option<Filter<K>>,
    concurrency: usize,
    timeout: Duration,
    own_writes_timeout: Duration,
    sync_timeout: Option<Duration>,
    drain_timeout: Duration,
    backoff: Backoff,
}

/// Configures an informer.
type Source<K> = Box<dyn FnOnce(&Informers, &mut ControllerUses) -> Attach<K> + Send>;

/// Starts a configured informer, and connects it with the work queue.
type Attach<K> = Box<dyn FnOnce(&Shared, &mut Caches, Work<K>) -> Work<K> + Send>;

impl<K: StaticKind> ControllerBuilder<K> {
    /// Sets the state that all runs share, such as a client of another system.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> ControllerBuilder<K, T> {
        let finalizers = self.finalizers.into_iter().map(|finalizer| {
            let clean_up = finalizer.clean_up;
            let clean_up: Reconcile<K, T> = Arc::new(move |object, context| clean_up(object, context.without_state()));
            Finalizer { name: finalizer.name, clean_up }
        });
        ControllerBuilder {
            state: Arc::new(state),
            finalizers: finalizers.collect(),
            name: self.name,
            select: self.select,
            sources: self.sources,
            accesses: self.accesses,
            filter: self.filter,
            concurrency: self.concurrency,
            timeout: self.timeout,
            own_writes_timeout: self.own_writes_timeout,
            sync_timeout: self.sync_timeout,
            drain_timeout: self.drain_timeout,
            backoff: self.backoff,
        }
    }
}

impl<K: StaticKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Sets the name for logs and metrics: the lower-case kind by default.
    pub fn name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Selects the objects of the kind, such as `.select(|vms| vms.namespaces(["prod"]))`.
    pub fn select(self, select: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send + 'static) -> Self {
        Self { select: Box::new(select), ..self }
    }

    /// Sets which updates of the objects are reconciled: those of the generation, the deletion and the finalizers [by
    /// default](Filter::for_reconciling).
    pub fn filter(self, filter: Filter<K>) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Reconciles an object also when an object of this kind changes whose controller it is, and caches that kind.
    pub fn owns<C: StaticKind>(self) -> Self
    where
        K::Scope: OwnerScope<K, C>,
    {
        self.owns_selected::<C>(|informer| informer)
    }

    /// Like [`owns`](Self::owns), for selected objects, such as `.owns_selected::<Pod>(|pods| pods.labels("app=vm"))`.
    ///
    /// All owned objects must match, because the controller does not see others.
    pub fn owns_selected<C: StaticKind>(
        self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
    ) -> Self
    where
        K::Scope: OwnerScope<K, C>,
    {
        self.source::<C>(select, Some(ShardKey::controller::<K>()), ControllerUses::own, |work, informer| {
            work.owns(informer)
        })
    }

    /// Reconciles also the objects that a function returns for an object of another kind that changes, and caches that
    /// kind.
    ///
    /// For an update, the function is called for both states.
    pub fn watches<C: StaticKind>(self, keys: impl Fn(&C) -> Vec<ObjectKey> + Send + 'static) -> Self {
        self.watches_selected::<C>(|informer| informer, keys)
    }

    /// Like [`watches`](Self::watches), for selected objects.
    pub fn watches_selected<C: StaticKind>(
        self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
        keys: impl Fn(&C) -> Vec<ObjectKey> + Send + 'static,
    ) -> Self {
        let keys_of_event = move |event: &Event<C>| {
            let mut all: Vec<_> = states(event).flat_map(|object| keys(object)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        self.source::<C>(select, None, ControllerUses::read, |work, informer| work.watches(informer, keys_of_event))
    }

    /// Caches a kind that the reconcile function reads. Its changes cause no reconciliations.
    pub fn reads<C: StaticKind>(self) -> Self {
        self.reads_selected::<C>(|informer| informer)
    }

    /// Like [`reads`](Self::reads), for selected objects.
    pub fn reads_selected<C: StaticKind>(
        self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
    ) -> Self {
        self.source::<C>(select, None, ControllerUses::read, |work, informer| work.reads(informer))
    }

    /// Declares requests for objects of a kind that the reconcile function sends, in the namespaces of the controller's own kind:
    /// also those that only read.
    ///
    /// What the controller caches, applies as [owned](Self::owns), reports as status or events, and its finalizers need no
    /// declaration. The [roles](super::Rbac) of the manager allow what is declared.
    ///
    /// ```
    /// # use crdkit::{client::Verb, controller::{ControllerBuilder, StaticKind}, k8s_openapi::api::core::v1::Secret};
    /// # fn example<K: StaticKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.writes::<Secret>([Verb::Get, Verb::Create])
    /// # }
    /// ```
    #[doc(alias("kubebuilder:rbac"))]
    pub fn writes<C: StaticKind>(self, verbs: impl IntoIterator<Item = Verb>) -> Self {
        self.requires(Access::to::<C>(verbs))
    }

    /// Like [`writes`](Self::writes), for other namespaces, one object, subresources and resources without a type.
    pub fn requires(mut self, access: Access) -> Self {
        self.accesses.push(access);
        self
    }

    /// Cleans up before an object is removed.
    ///
    /// The finalizer, such as `infra.example.com/machines`, is added to each object before its first reconciliation. When
    /// the object is deleted, `clean_up` is called until it returns [`Action::Done`]. Then the finalizer is removed, and
    /// `clean_up` is not called again. Several finalizers are processed in the order in which they are added here. Those of
    /// others are left alone.
    ///
    /// `clean_up` must be idempotent: if the process ends before the finalizer is removed, it is called again.
    ///
    /// # Panics
    ///
    /// Panics if the controller has 64 finalizers already.
    #[doc(alias("AddFinalizer", "cleanup"))]
    pub fn finalizer<F, R, E>(mut self, name: &str, clean_up: F) -> Self
    where
        F: Fn(Arc<K>, Context<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<Error>,
    {
        assert!(self.finalizers.len() < MAX_FINALIZERS, "a controller has at most {MAX_FINALIZERS} finalizers");
        self.finalizers.push(Finalizer { name: name.to_owned(), clean_up: boxed(clean_up) });
        self
    }

    /// Sets how many reconciliations run at the same time: 1 by default, as in controller-runtime.
    ///
    /// There are never two of the same object.
    pub fn concurrency(self, concurrency: usize) -> Self {
        Self { concurrency, ..self }
    }

    /// Sets the time limit of one reconciliation: none by default. One that exceeds it is cancelled, and is a failure.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets how long a reconciliation waits until the caches contain what the earlier ones of the same object wrote: 30 s
    /// by default.
    ///
    /// These are the writes of the [context's client](Context::client) to the object and to other objects of cached kinds.
    /// While it waits, other objects are reconciled. Afterwards the object is reconciled with an older state, which
    /// [counts](super::ControllerMetrics::stale).
    #[doc(alias("expectations", "read your writes"))]
    pub fn own_writes_timeout(self, timeout: Duration) -> Self {
        Self { own_writes_timeout: timeout, ..self }
    }

    /// Sets the delays after failures: from 100 ms to 5 minutes by default, and over all objects of the controller 10 retries a
    /// second after a burst of 100.
    ///
    /// An error can set its own delay: see [`retry_after`](super::retry_after) and [`terminal`](super::terminal).
    pub fn backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// Sets how long to wait for the initial lists: [2 minutes](Work::sync_timeout) by default.
    pub fn sync_timeout(self, sync_timeout: Duration) -> Self {
        Self { sync_timeout: Some(sync_timeout), ..self }
    }

    /// Sets how long running reconciliations may continue after shutdown: 20 s by default. Then they are cut at their next await,
    /// and [`Manager::run`](super::Manager::run) fails.
    ///
    /// Together with up to 5 s for events and the release of the lease, this is within the 30 s after which Kubernetes kills
    /// the process by default (`terminationGracePeriodSeconds`).
    pub fn drain_timeout(self, drain_timeout: Duration) -> Self {
        Self { drain_timeout, ..self }
    }

    /// Completes the controller with its reconcile function.
    ///
    /// The function brings the cluster to the state that an object describes. It is called when the object or something
    /// that it depends on changes. It must be idempotent. An object that is being deleted is not reconciled: use
    /// [`finalizer`](Self::finalizer), or [`reconcile_key`](Self::reconcile_key).
    #[doc(alias("Reconciler"))]
    pub fn reconcile<F, R, E>(self, reconcile: F) -> Controller
    where
        F: Fn(Arc<K>, Context<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<Error>,
    {
        self.complete(Function::OfObjects(boxed(reconcile)))
    }

    /// Completes the controller with a reconcile function of keys.
    ///
    /// The function is also called for objects that are being deleted, and for deleted objects: then
    /// [`Context::get`] returns `None`. Deletions that happen while the program does not run are not seen.
    pub fn reconcile_key<F, R, E>(self, reconcile: F) -> Controller
    where
        F: Fn(ObjectKey, Context<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<Error>,
    {
        let reconcile = Arc::new(reconcile);
        self.complete(Function::OfKeys(Arc::new(move |key, context| {
            let reconciled = reconcile(key, context);
            async { reconciled.await.map_err(Into::into) }.boxed()
        })))
    }

    fn source<C: StaticKind>(
        mut self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
        shard_key: Option<ShardKey>,
        record: fn(&mut ControllerUses, &InformerBuilder<C>),
        attach: impl FnOnce(Work<K>, &Informer<C>) -> Work<K> + Send + 'static,
    ) -> Self {
        self.sources.push(Box::new(move |informers, uses| {
            let objects = select(informers.of());
            record(uses, &objects);
            Box::new(move |shared, caches, work| {
                let objects = match shard_key {
                    Some(key) => shared.sharded(objects, key),
                    None => objects,
                };
                let informer = objects.start();
                caches.add(informer.clone());
                attach(work, &informer)
            })
        }));
        self
    }

    fn complete(self, function: Function<K, T>) -> Controller {
        Controller { connect: Box::new(move |informers| self.connect(function, informers)) }
    }
}

fn boxed<K, T, F, R, E>(function: F) -> Reconcile<K, T>
where
    K: StaticKind,
    F: Fn(Arc<K>, Context<K, T>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Action, E>> + Send + 'static,
    E: Into<Error>,
{
    Arc::new(move |object, context| {
        let reconciled = function(object, context);
        async { reconciled.await.map_err(Into::into) }.boxed()
    })
}
