use std::{
    collections::HashSet,
    fmt,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use k8s_openapi::jiff::Timestamp;

use super::{
    Action, ReconciledKind, StaticKind,
    apply_owned::{AppliedSet, Applier, Wanted},
    caches::Caches,
    events::EventSender,
    inventory::Inventories,
    kind::KindData,
    status::PendingStatuses,
    write_fence::WritePermit,
};
use crate::{
    Client,
    informer::{CacheObject, Lister, ObjectKey},
};

/// What a reconcile function works with: the client, the caches, and the state of the controller.
///
/// It belongs to one run of the function. Writes of its client, and of handles that are created from it, delay the next
/// run for the same object until the caches contain them.
pub struct Context<K: ReconciledKind, T = ()> {
    pub(super) run: Arc<Run<K>>,
    state: Arc<T>,
}

/// One run of a reconcile function.
pub(super) struct Run<K: ReconciledKind> {
    pub(super) kind: KindData<K>,
    pub(super) key: ObjectKey,
    pub(super) client: Client,
    pub(super) caches: Arc<Caches>,
    pub(super) statuses: Mutex<PendingStatuses<K>>,
    pub(super) wanted: Mutex<Wanted>,
    pub(super) applied: Arc<AppliedSet>,
    pub(super) applier: Arc<Applier>,
    pub(super) permit: Arc<WritePermit>,
    /// The request by an annotation that the run is for.
    pub(super) request: OnceLock<String>,
    pub(super) events: EventSender,
    /// `None` if the controller owns nothing by inventory.
    pub(super) inventories: Option<Arc<Inventories<K>>>,
    /// The object that is planned.
    pub(super) planned: Option<Arc<K>>,
}

impl<K: ReconciledKind, T> Context<K, T> {
    pub(super) fn new(run: Arc<Run<K>>, state: Arc<T>) -> Self {
        Self { run, state }
    }

    /// Returns the key of the object that is reconciled.
    pub fn key(&self) -> &ObjectKey {
        &self.run.key
    }

    /// Returns the client, with the options of the manager's.
    pub fn client(&self) -> &Client {
        &self.run.client
    }

    /// Returns the time: that of the machine, or in tests that of the [client's clock](Client::clock), which is the one of the API server in
    /// the process.
    pub fn now(&self) -> Timestamp {
        self.run.client.now()
    }

    /// Returns the action that reconciles the object again at a time, or immediately if that has passed.
    ///
    /// If the clock of the machine is set back meanwhile, the object is reconciled too early: compare the time with [`now`](Self::now)
    /// again, and return the same action.
    pub fn requeue_at(&self, time: Timestamp) -> Action {
        Action::Requeue(Duration::try_from(time.duration_since(self.now())).unwrap_or_default())
    }

    /// Returns the [state](super::ControllerBuilder::state) that all runs share.
    pub fn state(&self) -> &T {
        &self.state
    }

    /// Returns the value of the annotation by which somebody [requested](super::ControllerBuilder::reconcile_requested_by) this
    /// reconciliation; `None` if there is no request, or it was handled before.
    pub fn reconcile_request(&self) -> Option<&str> {
        self.run.request.get().map(String::as_str)
    }

    /// Returns the object that is reconciled, from the cache; `None` if it was deleted.
    pub fn get(&self) -> Option<Arc<K>> {
        self.run.object()
    }

    /// Returns the lister of a kind that the controller reconciles, owns, watches or reads.
    ///
    /// If the controller declares a kind several times, it is the first of these: the lister of [`reads`](super::ControllerBuilder::reads),
    /// of the kind that is reconciled, of [`owns`](super::ControllerBuilder::owns), of [`watches`](super::ControllerBuilder::watches),
    /// of [`refers`](super::ControllerBuilder::refers).
    ///
    /// # Panics
    ///
    /// Panics if the controller was not built with one of them for the kind. The message names the kind.
    pub fn lister<C: StaticKind>(&self) -> Lister<C> {
        self.run.lister()
    }

    /// Returns the objects of a kind whose controller is the given object, from the cache of
    /// [`owns`](super::ControllerBuilder::owns), or else that of [`lister`](Self::lister), and those that are in its
    /// [inventory](super::ControllerBuilder::inventory).
    ///
    /// # Panics
    ///
    /// The same as for [`lister`](Self::lister).
    pub fn owned<C: StaticKind>(&self, owner: &K) -> Vec<Arc<C>> {
        self.run.owned(owner)
    }

    /// Returns the same context without the state.
    pub(super) fn without_state(&self) -> Context<K> {
        Context { run: self.run.clone(), state: Arc::default() }
    }
}

impl<K: ReconciledKind> Run<K> {
    /// Returns the object that is reconciled.
    pub(super) fn object(&self) -> Option<Arc<K>> {
        let cached = || self.caches.reconciled::<K>()?.find(self.key.namespace(), self.key.name());
        self.planned.clone().or_else(cached)
    }

    pub(super) fn lister<C: StaticKind>(&self) -> Lister<C> {
        let (kind, owner) = (C::kind(&()), self.kind.name());
        self.caches.lister().unwrap_or_else(|| {
            panic!("the controller of {owner} has no cache of {kind}: add `.owns::<{kind}>()`, `.watches::<{kind}>(...)` or `.reads::<{kind}>()` to it")
        })
    }

    /// Returns the listers of owned objects of a kind.
    pub(super) fn owned_listers<C: StaticKind>(&self) -> Vec<Lister<C>> {
        let listers = self.caches.owned();
        if listers.is_empty() { vec![self.lister()] } else { listers }
    }

    fn owned<C: StaticKind>(&self, owner: &K) -> Vec<Arc<C>> {
        let listers = self.owned_listers::<C>();
        let Some(uid) = owner.uid() else {
            return Vec::new();
        };
        // An object may match several selections.
        let mut seen = HashSet::new();
        let mut owned: Vec<Arc<C>> = listers.iter().flat_map(|lister| lister.owned_by_uid(uid)).collect();
        owned.retain(|object| object.owners().any(|owner| owner.uid == uid && owner.controller));
        let has_members = self.caches.members.has::<C>();
        if let Some(inventories) = self.inventories.as_ref().filter(|_| has_members) {
            owned.extend(self.caches.members.of(&inventories.marks(&ObjectKey::of(owner)).id));
        }
        owned.retain(|object| (listers.len() == 1 && !has_members) || seen.insert(ObjectKey::of(&**object)));
        owned
    }
}

impl<K: ReconciledKind, T> Clone for Context<K, T> {
    fn clone(&self) -> Self {
        Self { run: self.run.clone(), state: self.state.clone() }
    }
}

impl<K: ReconciledKind, T> fmt::Debug for Context<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("key", self.key()).finish_non_exhaustive()
    }
}
