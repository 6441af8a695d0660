//! The kinds that a controller caches besides its own, and which of their changes it reconciles.

use super::ControllerBuilder;
use crate::{
    client::OwnerScope,
    controller::{
        ReconciledKind, StaticKind,
        caches::{CachedSource, Caches},
        kind::{KindData, is_namespaced},
        manager::ManagerContext,
        requirements::ControllerUses,
    },
    informer::{Event, Informer, InformerBuilder, Informers, Lister, ObjectKey, Reconciler, queue::owners::states},
};

/// Configures an informer.
pub(super) type Source<K> = Box<dyn FnOnce(&Informers, &mut ControllerUses) -> Attach<K> + Send>;

/// Starts a configured informer, and connects it with the work queue.
pub(super) type Attach<K> = Box<dyn FnOnce(&ManagerContext, &mut Caches, Reconciler<K>) -> Reconciler<K> + Send>;

impl<K: ReconciledKind, T: Send + Sync + 'static> ControllerBuilder<K, T> {
    /// Reconciles an object also when an object of this kind changes whose controller it is, and caches that kind.
    pub fn owns<C: StaticKind>(self) -> Self
    where
        K::Scope: OwnerScope<K, C>,
    {
        self.owns_selected::<C>(|informer| informer)
    }

    /// Like [`owns`](Self::owns), for selected objects, such as `.owns_selected::<Pod>(|pods| pods.labels("app=vm"))`.
    ///
    /// All owned objects must match, because the controller does not see others. Selections of several calls for a kind add up. A
    /// transform must keep the owner references and the annotations, and what [`ready`](crate::controller::ApplyOwned::ready) judges by:
    /// the generation, the spec and the status.
    pub fn owns_selected<C: StaticKind>(
        mut self,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
    ) -> Self
    where
        K::Scope: OwnerScope<K, C>,
    {
        self.settings.owned.push(C::kind(&()).into_owned());
        if self.settings.kind.is_namespaced() && !is_namespaced::<C>() {
            self.settings.not_ownable.push(C::kind(&()).into_owned());
        }
        let owner = self.settings.kind.owner();
        self.source::<C>(CachedSource::Owns, select, ControllerUses::own, |work, informer, _| {
            work.owns_of_kind(owner, informer)
        })
    }

    /// Deletes the objects of a kind that earlier versions of the program [applied](crate::controller::Context::apply_owned), after they
    /// no longer do.
    ///
    /// A program has no permissions for kinds that it does not mention, and does not watch them. So replace
    /// [`owns`](Self::owns) by this when you remove the last call that applies the kind, and keep it until no such objects exist in any
    /// cluster.
    pub fn formerly_owns<C: StaticKind>(self) -> Self
    where
        K::Scope: OwnerScope<K, C>,
    {
        let (select, owner) = (|informer| informer, self.settings.kind.owner());
        self.source::<C>(CachedSource::Owns, select, ControllerUses::formerly_own, |work, informer, _| {
            work.owns_of_kind(owner, informer)
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
        self.source::<C>(CachedSource::Watches, select, ControllerUses::read, |work, informer, _| {
            work.watches(informer, keys_of_event)
        })
    }

    /// Like [`watches`](Self::watches), with the lister of the objects that are reconciled.
    ///
    /// ```
    /// # use crdkit::{controller::ControllerBuilder, informer::ObjectKey, k8s_openapi::api::core::v1::{ConfigMap, Namespace}};
    /// # fn example(builder: ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap> {
    /// // All objects in a namespace that changes.
    /// builder.watches_with_lister::<Namespace>(|namespace, all| {
    ///     let name = namespace.metadata.name.as_deref().unwrap_or_default();
    ///     all.namespace(name).list().iter().map(|object| ObjectKey::of(&**object)).collect()
    /// })
    /// # }
    /// ```
    pub fn watches_with_lister<C: StaticKind>(
        self,
        keys: impl Fn(&C, &Lister<K>) -> Vec<ObjectKey> + Send + 'static,
    ) -> Self {
        let all = |objects| objects;
        self.source::<C>(CachedSource::Watches, all, ControllerUses::read, |work, informer, caches| {
            let reconciled = caches.reconciled::<K>();
            work.watches(informer, move |event: &Event<C>| {
                let Some(reconciled) = &reconciled else {
                    return Vec::new();
                };
                let mut all: Vec<_> = states(event).flat_map(|object| keys(object, reconciled)).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
        })
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
        self.source::<C>(CachedSource::Reads, select, ControllerUses::read, |work, informer, _| work.reads(informer))
    }

    pub(super) fn source<C: StaticKind>(
        mut self,
        source: CachedSource,
        select: impl FnOnce(InformerBuilder<C>) -> InformerBuilder<C> + Send + 'static,
        record: fn(&mut ControllerUses, &InformerBuilder<C>),
        attach: impl FnOnce(Reconciler<K>, &Informer<C>, &mut Caches) -> Reconciler<K> + Send + 'static,
    ) -> Self {
        self.settings.sources.push(Box::new(move |informers, uses| {
            let objects = select(informers.of().in_places(uses.related()));
            record(uses, &objects);
            let owner = uses.shard_key_of_owned();
            Box::new(move |shared, caches, work| {
                let objects = match source {
                    CachedSource::Owns => shared.sharded(objects, owner),
                    _ => objects,
                };
                let informer = objects.start();
                caches.add(source, KindData::of_type(), informer.clone());
                attach(work, &informer, caches)
            })
        }));
        self
    }
}
