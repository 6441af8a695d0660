//! What a controller watches, and how it runs its reconcile function.

mod failures;
mod inventory;
mod observers;
mod of_kind;
mod references;
mod settings;
mod sources;
mod start;
mod steering;
mod triggers;

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt};
use kube_core::PartialObjectMeta;

use self::settings::Settings;
use super::{
    Access, Action, Context, Error, ReconciledKind, StaticKind,
    finalizers::{CleanUpUndecodable, Finalizer, MAX_FINALIZERS},
    inventory::InventoryUse,
    kind::KindData,
    manager::ManagerContext,
    metrics::Counters,
    requirements::Requirements,
    steering::Steering,
    worker::{CleanUp, Function},
};
use crate::{
    client::Verb,
    informer::{Backoff, Filter, InformerBuilder, Informers, ObjectKey, RunError, places::Places},
};

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
    pub(super) former_names: Vec<String>,
    pub(super) selection: Selection,
    /// The kind that is reconciled, and those that are owned.
    pub(super) kind: String,
    pub(super) owned: Vec<String>,
    /// Those of them that objects of the kind cannot own.
    pub(super) not_ownable: Vec<String>,
    pub(super) finalizers: Vec<String>,
    pub(super) triggers: Vec<String>,
    pub(super) steering: Steering,
    pub(super) inventory: InventoryUse,
    pub(super) counters: Arc<Counters>,
    pub(super) uses: Requirements,
    /// `None` once it was started.
    pub(super) start: Option<Start>,
}

/// Which objects a controller reconciles.
pub(super) struct Selection {
    group: String,
    plural: String,
    places: Places,
    has_selectors: bool,
}

impl Selection {
    fn of<K: ReconciledKind>(kind: &KindData<K>, objects: &InformerBuilder<K>) -> Self {
        let kind = kind.required();
        Self {
            group: kind.group,
            plural: kind.plural,
            places: objects.places().clone(),
            has_selectors: objects.has_selectors(),
        }
    }

    /// Whether both include some objects. Selectors of both may exclude each other, so that this is not known.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let is_same_kind = self.group == other.group && self.plural == other.plural;
        let share_namespaces = match (&self.places, &other.places) {
            (Places::Namespaces(own), Places::Namespaces(others)) => {
                own.iter().any(|namespace| others.contains(namespace))
            }
            // Those of the manager may change.
            _ => true,
        };
        is_same_kind && share_namespaces && !(self.has_selectors && other.has_selectors)
    }
}

/// Starts the informers of a controller, and returns the future that reconciles.
type Start = Box<dyn FnOnce(&ManagerContext) -> BoxFuture<'static, Result<(), RunError>> + Send>;

impl Controller {
    /// Configures the informers for the cluster of a manager.
    pub(super) fn connect(self, informers: &Informers) -> ConnectedController {
        (self.connect)(informers)
    }

    /// Builds a controller of a kind.
    pub fn of<K: StaticKind>() -> ControllerBuilder<K> {
        Self::builder(KindData::of_type())
    }

    fn builder<K: ReconciledKind>(kind: KindData<K>) -> ControllerBuilder<K> {
        ControllerBuilder {
            settings: Settings::new(kind),
            state: Arc::default(),
            finalizers: Vec::new(),
            undecodable: None,
        }
    }
}

/// Builds a [`Controller`]: what it watches, and how it runs the reconcile function.
#[doc(alias("Builder", "For", "Owns", "Watches", "ControllerManagedBy"))]
#[must_use = "`reconcile` completes the controller"]
pub struct ControllerBuilder<K: ReconciledKind, T = ()> {
    settings: Settings<K>,
    state: Arc<T>,
    finalizers: Vec<Finalizer<K, T>>,
    undecodable: Option<CleanUpUndecodable<K, T>>,
}

impl<K: ReconciledKind> ControllerBuilder<K> {
    /// Sets the state that all runs share, such as a client of another system.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> ControllerBuilder<K, T> {
        let finalizers = self
            .finalizers
            .into_iter()
            .map(|Finalizer { name, clean_up }| Finalizer { name, clean_up: stateful(clean_up) });
        ControllerBuilder {
            state: Arc::new(state),
            finalizers: finalizers.collect(),
            undecodable: self.undecodable.map(stateful),
            settings: self.settings,
        }
    }
}

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Sets the name for logs, metrics and events, and for [what it applies](Context::apply_owned): the lower-case kind by default.
    ///
    /// It is a name as in `infra.example.com/vm-operator`, or without the domain, because the API server accepts no other
    /// `reportingController` of events. Controllers of one manager have different names. [`Manager::run`](super::Manager::run)
    /// checks both.
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.settings.name);
        self
    }

    /// Adds a name that the controller had in an earlier version of the program, so that it prunes what it
    /// [applied](Context::apply_owned) then: a name, or `manager/name` if the field manager of the client was another one, whose fields
    /// it then takes over.
    ///
    /// ```
    /// # use crdkit::controller::{ControllerBuilder, ReconciledKind};
    /// # fn example<K: ReconciledKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.name("machines").formerly_named("virtualmachine").formerly_named("old-operator/virtualmachine")
    /// # }
    /// ```
    pub fn formerly_named(mut self, name: &str) -> Self {
        self.settings.former_names.push(name.to_owned());
        self
    }

    /// Selects the objects of the kind, such as `.select(|vms| vms.namespaces(["prod"]))`.
    ///
    /// If these are namespaces, the controller watches the kinds that it owns, watches and reads only there too, and its
    /// [roles](super::Rbac) are those of these namespaces. They replace [those of the manager](super::Manager::namespaces).
    /// [`namespaces`](InformerBuilder::namespaces) and [`all_namespaces`](InformerBuilder::all_namespaces) choose others, such as
    /// `.reads_selected::<ConfigMap>(|configs| configs.all_namespaces())`.
    ///
    /// With [finalizers](Self::finalizer), an object that leaves a selection by labels or fields keeps its finalizers, and is cleaned up
    /// when it is deleted. For that the controller also watches the metadata of the other objects.
    pub fn select(mut self, select: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send + 'static) -> Self {
        self.settings.select = Box::new(select);
        self
    }

    /// Sets which updates of the objects are reconciled: those of the generation, the deletion and the finalizers [by
    /// default](Filter::for_reconciling).
    ///
    /// With [finalizers](Self::finalizer), updates of the deletion and the finalizers always are.
    pub fn filter(mut self, filter: Filter<K>) -> Self {
        self.settings.filter = Some(filter);
        self
    }

    /// Declares requests for objects of a kind that the reconcile function sends, in the namespaces of the controller's own kind:
    /// also those that only read.
    ///
    /// What the controller caches, applies as [owned](Self::owns), reports as status or events, and its finalizers need no
    /// declaration. The [roles](super::Rbac) of the manager allow what is declared.
    ///
    /// ```
    /// # use crdkit::{client::Verb, controller::{ControllerBuilder, ReconciledKind}, k8s_openapi::api::core::v1::Secret};
    /// # fn example<K: ReconciledKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.writes::<Secret>([Verb::Get, Verb::Create])
    /// # }
    /// ```
    #[doc(alias("kubebuilder:rbac"))]
    pub fn writes<C: StaticKind>(self, verbs: impl IntoIterator<Item = Verb>) -> Self {
        self.requires(Access::to::<C>(verbs))
    }

    /// Like [`writes`](Self::writes), for other namespaces, one object, subresources and resources without a type.
    pub fn requires(mut self, access: Access) -> Self {
        self.settings.accesses.push(access);
        self
    }

    /// Cleans up before an object is removed.
    ///
    /// The finalizer, such as `infra.example.com/machines`, is added to each object before its first reconciliation. When
    /// the object is deleted, `clean_up` is called until it returns [`Action::Done`]. Then the finalizer is removed, and
    /// `clean_up` is not called again. Several finalizers are processed in the order in which they are added here. Those of
    /// others are left alone.
    ///
    /// Two controllers of the same objects have different finalizers: the first to clean up would remove a shared one.
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

    /// Cleans up objects that are being deleted and cannot be decoded, by their metadata.
    ///
    /// The function is called in place of those of all [finalizers](Self::finalizer), until it returns [`Action::Done`]; then their
    /// finalizers are removed. Without it, such an object remains until somebody repairs it or removes the finalizers, which is logged.
    /// With it, the controller also watches the metadata of all objects.
    ///
    /// ```
    /// # use crdkit::controller::{Action, ControllerBuilder, Error, ReconciledKind};
    /// # use std::sync::Arc;
    /// # fn release(_uid: &Option<String>) {}
    /// # fn example<K: ReconciledKind>(builder: ControllerBuilder<K>) -> ControllerBuilder<K> {
    /// builder.clean_up_undecodable(async |object, _| {
    ///     release(&object.metadata.uid);
    ///     Ok::<_, Error>(Action::Done)
    /// })
    /// # }
    /// ```
    pub fn clean_up_undecodable<F, R, E>(self, clean_up: F) -> Self
    where
        F: Fn(Arc<PartialObjectMeta<K>>, Context<K, T>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<Error>,
    {
        Self { undecodable: Some(boxed(clean_up)), ..self }
    }

    /// Sets how many reconciliations run at the same time: 1 by default, as in controller-runtime.
    ///
    /// There are never two of the same object.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.settings.concurrency = concurrency;
        self
    }

    /// Sets the time limit of one reconciliation: none by default. One that exceeds it is cancelled, and is a failure.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how long a reconciliation waits until the caches contain what the earlier ones of the same object wrote: 30 s
    /// by default.
    ///
    /// These are the writes of the [context's client](Context::client) to the object and to other objects of cached kinds.
    /// While it waits, other objects are reconciled. Afterwards the object is reconciled with an older state, which
    /// [counts](super::ControllerMetrics::stale).
    #[doc(alias("expectations", "read your writes"))]
    pub fn own_writes_timeout(mut self, timeout: Duration) -> Self {
        self.settings.own_writes_timeout = timeout;
        self
    }

    /// Sets the delays after failures: from 100 ms to 5 minutes by default, and over all objects of the controller 10 retries a
    /// second after a burst of 100, which no object waits for [longer than 5 minutes](Backoff#the-limit-over-all-keys).
    ///
    /// An error can set its own delay: see [`retry_after`](super::retry_after) and [`terminal`](super::terminal).
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.settings.backoff = backoff;
        self
    }

    /// Sets how long to wait for the initial lists: [2 minutes](crate::informer::Reconciler::sync_timeout) by default.
    pub fn sync_timeout(mut self, sync_timeout: Duration) -> Self {
        self.settings.sync_timeout = Some(sync_timeout);
        self
    }

    /// Sets how long running reconciliations may continue after shutdown: 20 s by default. Then they are cut at their next await,
    /// and [`Manager::run`](super::Manager::run) fails.
    ///
    /// Together with up to 5 s for events and the release of the lease, this is within the 30 s after which Kubernetes kills
    /// the process by default (`terminationGracePeriodSeconds`).
    pub fn drain_timeout(mut self, drain_timeout: Duration) -> Self {
        self.settings.drain_timeout = drain_timeout;
        self
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

    fn complete(self, function: Function<K, T>) -> Controller {
        Controller { connect: Box::new(move |informers| self.connect(function, informers)) }
    }
}

fn boxed<O, K, T, F, R, E>(function: F) -> CleanUp<O, K, T>
where
    O: 'static,
    K: ReconciledKind,
    T: 'static,
    F: Fn(Arc<O>, Context<K, T>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Action, E>> + Send + 'static,
    E: Into<Error>,
{
    Arc::new(move |object, context| {
        let reconciled = function(object, context);
        async { reconciled.await.map_err(Into::into) }.boxed()
    })
}

/// Adapts a function without state to a controller with one.
fn stateful<O: 'static, K: ReconciledKind, T: Send + Sync + 'static>(function: CleanUp<O, K, ()>) -> CleanUp<O, K, T> {
    Arc::new(move |object, context| function(object, context.without_state()))
}
