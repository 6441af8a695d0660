//! Applies the objects that another object owns, and deletes those that are no longer wanted.

mod applied;
mod applier;
mod by_inventory;
mod child_key;
mod controlled;
mod error;
mod prepared;
mod prune;
mod ready;

use std::{
    collections::HashSet,
    future::IntoFuture,
    marker::PhantomData,
    mem,
    sync::{Arc, MutexGuard, PoisonError},
};

use futures_util::{
    StreamExt, TryStreamExt,
    future::{BoxFuture, FutureExt},
    stream,
};
use kube_core::PartialObjectMeta;
use serde_json::Value;

use self::{applied::Applied, prepared::Prepared};
use super::{Context, ReconciledKind, StaticKind, context::Run, inventory::Member};
use crate::{
    Apply,
    client::{ApplyError, Object, OperationResult, OwnerScope, endpoint::Endpoint, managed_fields::is_given},
    informer::{CacheObject, Lister, ObjectKey},
    json::json_value::to_value,
};

pub(super) use self::{
    applied::AppliedSet,
    applier::{AppliedBy, Applier},
    child_key::ChildKey,
    controlled::is_controlled,
    prune::{CachedChild, Extent, Surplus, Wanted, cached_children, delete_surplus},
};
pub use applier::APPLIED_BY_ANNOTATION;
pub use error::ApplyOwnedError;
pub use ready::{NotReady, Readiness};

/// Maximum number of objects that one call applies or deletes at the same time.
pub(super) const CONCURRENCY: usize = 16;

impl<K: ReconciledKind, T> Context<K, T> {
    /// Applies the objects of a kind that an object owns.
    ///
    /// Each object gets a controller reference to the owner, its namespace, and an [annotation](super::APPLIED_BY_ANNOTATION) that
    /// names the controller. Fields are applied with the field manager of the manager's client, which takes over fields that other
    /// managers own, as Kubernetes recommends for controllers. An object is identified by group, kind, namespace and name.
    ///
    /// An object is not sent if it has not changed since it was applied with the same fields. The kind must be in the cache
    /// of the controller, usually by [`owns`](super::ControllerBuilder::owns).
    ///
    /// An object without a controller is [adopted](ApplyOwned::without_adoption). Before an existing object is applied for the first
    /// time, what the field manager has set by other requests, such as `create` or a patch, is made part of what it applies, as by
    /// client-go's `csaupgrade`: such fields are then removed if they are not applied. An object that is terminating is left alone:
    /// once it is gone, the owner is reconciled again.
    ///
    /// # Pruning
    ///
    /// After the reconcile function has returned [`Action::Done`](super::Action::Done), the objects of all cached kinds that this
    /// controller applied for the reconciled object in earlier runs, and that no call of this run applied, are deleted: also those of a
    /// kind that the run did not apply at all, and those that an earlier process applied, or an earlier version of the program.
    ///
    /// - A run that returns before it has applied everything, for example while a dependency is not ready or the object is paused,
    ///   calls [`keep_owned`](Self::keep_owned), or returns an error.
    /// - A run that requests another one ([`Action::Requeue`](super::Action::Requeue)) may be waiting for something: of kinds that it did
    ///   not apply at all, nothing is deleted. Apply an empty list of the kind if no object of it is wanted. The same is true of the
    ///   functions of [finalizers](super::ControllerBuilder::finalizer).
    /// - Objects of others are kept: those that a person or another controller made, also with the same owner, and those that were
    ///   applied [without pruning](ApplyOwned::without_pruning). The controller is identified by the field manager of the client and its
    ///   [name](super::ControllerBuilder::name), in all versions of a program;
    ///   [`formerly_named`](super::ControllerBuilder::formerly_named) adds earlier names, whose fields are taken over as well.
    /// - A kind that the program no longer applies is declared by [`formerly_owns`](super::ControllerBuilder::formerly_owns).
    ///
    /// # Errors
    ///
    /// An [`ApplyOwnedError`] that names the object: also if a run applies it twice, or if another object or another controller owns it.
    ///
    /// # Panics
    ///
    /// The same as for [`lister`](Self::lister).
    pub fn apply_owned<'a, C>(
        &'a self,
        owner: &'a K,
        objects: impl IntoIterator<Item: Apply<C>>,
    ) -> ApplyOwned<'a, K, C>
    where
        C: StaticKind,
        K::Scope: OwnerScope<K, C>,
    {
        ApplyOwned::new(&self.run, owner, objects, false)
    }

    /// Keeps the owned objects that this run does not apply.
    ///
    /// Call it before you return early, for example while the object is paused: otherwise [pruning](Self::apply_owned) deletes what was
    /// not applied until then.
    pub fn keep_owned(&self) {
        self.run.wanted().keeps_all = true;
    }
}

/// Owned objects, which are applied when this is awaited. It returns the stored objects.
#[must_use = "nothing is applied until it is awaited"]
pub struct ApplyOwned<'a, K: ReconciledKind, C> {
    run: &'a Arc<Run<K>>,
    owner: &'a K,
    objects: Result<Vec<Value>, serde_json::Error>,
    adopts: bool,
    prunes: bool,
    taken_over: Vec<String>,
    by_inventory: bool,
    kind: PhantomData<fn() -> C>,
}

impl<K: ReconciledKind, C> ApplyOwned<'_, K, C> {
    /// Keeps these objects when a later run no longer applies them, and deletes no others of the kind, unless another call of the
    /// run prunes them.
    pub fn without_pruning(self) -> Self {
        Self { prunes: false, ..self }
    }

    /// Takes over what other field managers, such as `helm`, have set or applied in objects that are applied for the first time, as
    /// [what the own one has set](Context::apply_owned): such fields are removed if they are not applied.
    pub fn taking_over(mut self, managers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.taken_over.extend(managers.into_iter().map(Into::into));
        self
    }

    /// Leaves orphans alone: fails with [`ApplyOwnedError::Orphan`] if an object exists that has no controller, also if it is not
    /// cached yet.
    pub fn without_adoption(self) -> Self {
        Self { adopts: false, ..self }
    }
}

impl<'a, K: ReconciledKind, C: StaticKind> ApplyOwned<'a, K, C> {
    fn new(run: &'a Arc<Run<K>>, owner: &'a K, objects: impl IntoIterator<Item: Apply<C>>, by_inventory: bool) -> Self {
        Self {
            run,
            owner,
            objects: objects.into_iter().map(|object| to_value(&object)).collect(),
            adopts: true,
            prunes: true,
            taken_over: Vec::new(),
            by_inventory,
            kind: PhantomData,
        }
    }
}

impl<'a, K: ReconciledKind, C: StaticKind> IntoFuture for ApplyOwned<'a, K, C> {
    type Output = Result<Vec<Arc<C>>, ApplyOwnedError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send().boxed()
    }
}

impl<K: ReconciledKind, C: StaticKind> ApplyOwned<'_, K, C> {
    async fn send(mut self) -> Result<Vec<Arc<C>>, ApplyOwnedError> {
        self.run.wanted().incomplete_calls += 1;
        let objects = mem::replace(&mut self.objects, Ok(Vec::new()))?
            .into_iter()
            .map(|object| self.prepare(object))
            .collect::<Result<Vec<_>, _>>()?;
        self.record_wanted(&objects)?;
        if self.by_inventory {
            self.record_members(&objects).await?;
        }
        let applied = objects.into_iter().map(|object| self.apply(object));
        let applied = stream::iter(applied).buffered(CONCURRENCY).try_collect().await?;
        self.run.wanted().incomplete_calls -= 1;
        Ok(applied)
    }

    /// Records what the run applies.
    fn record_wanted(&self, objects: &[Prepared]) -> Result<(), ApplyOwnedError> {
        let mut wanted = self.run.wanted();
        let resource = ChildKey::of::<C>(ObjectKey::new(None, "")).resource();
        let kind = (self.owner_id(), resource);
        if self.prunes {
            wanted.pruned.insert(kind);
        } else {
            wanted.kept.insert(kind);
        }
        let mut of_call = HashSet::new();
        for Prepared { key, fields, .. } in objects {
            let earlier = wanted.objects.insert(key.clone(), *fields);
            if !of_call.insert(key) || earlier.is_some_and(|earlier| earlier != *fields) {
                return Err(ApplyOwnedError::Duplicate { kind: kind_of::<C>(), name: key.object.to_string() });
            }
            if self.by_inventory {
                wanted.members.insert(Member::of::<C>(key.object.clone()));
            }
        }
        Ok(())
    }

    async fn apply(&self, prepared: Prepared) -> Result<Arc<C>, ApplyOwnedError> {
        let endpoint = Endpoint::<C>::new(self.run.client.force(), ()).at(prepared.key.object.namespace());
        let metadata = self.run.caches.declared_as_owned::<PartialObjectMeta<C>>();
        if self.run.caches.declared_as_owned::<C>().is_empty() && !metadata.is_empty() {
            return self.apply_by_metadata(&endpoint, prepared, metadata).await;
        }
        let known = self.find(self.run.owned_listers(), &endpoint, &prepared.key).await?;
        if self.by_inventory && known.is_none() {
            self.check_uncached(&endpoint, &prepared.key).await?;
        }
        let stored = self.apply_over(&endpoint, prepared, known.as_deref()).await?;
        Ok(stored.or(known).expect("only an object that is known is not applied"))
    }

    /// Applies an object of which only the metadata is cached. One that has not changed is read.
    async fn apply_by_metadata(
        &self,
        endpoint: &Endpoint<C>,
        prepared: Prepared,
        metadata: Vec<Lister<PartialObjectMeta<C>>>,
    ) -> Result<Arc<C>, ApplyOwnedError> {
        let known = self.find(metadata, &endpoint.metadata(), &prepared.key).await?;
        if self.by_inventory && known.is_none() {
            self.check_uncached(endpoint, &prepared.key).await?;
        }
        if let Some(stored) = self.apply_over(endpoint, prepared.clone(), known.as_deref()).await? {
            return Ok(stored);
        }
        match endpoint.get(prepared.key.object.name()).await {
            // The cache has an object that is gone.
            Err(error) if error.is_not_found() => {
                let unknown = None::<&PartialObjectMeta<C>>;
                let stored = self.apply_over(endpoint, prepared, unknown).await?;
                Ok(stored.expect("an object that is not known is applied"))
            }
            read => Ok(read.map(Arc::new).map_err(ApplyError::Request)?),
        }
    }

    /// Applies an object over the one in the cache; returns `None` if that is left as it is.
    async fn apply_over<O: CacheObject>(
        &self,
        endpoint: &Endpoint<C>,
        prepared: Prepared,
        known: Option<&O>,
    ) -> Result<Option<Arc<C>>, ApplyOwnedError> {
        let Prepared { key, object, fields } = prepared;
        let name = key.object.name();
        let manager = self.run.client.field_manager_name().unwrap_or_default();
        let managers: Vec<_> = [manager].into_iter().chain(self.taken_over.iter().map(String::as_str)).collect();
        if let Some(known) = known {
            let applied_by = self.check_owner(&key, known)?;
            let version = known.resource_version().unwrap_or_default().to_owned();
            let last = self.run.applied.last(&self.run.key, &key);
            if known.is_terminating() || last == Some(Applied { fields, version }) {
                return Ok(None);
            }
            let former_managers = self.run.applier.former_managers(annotation_of(known));
            if applied_by == AppliedBy::Unknown {
                endpoint.upgrade_managed_fields(name, &managers).await?;
            } else if !former_managers.is_empty() {
                endpoint.upgrade_managed_fields(name, &former_managers).await?;
            }
        }
        let (mut stored, outcome) = endpoint.apply(name, None, &object).await?;
        let existed = known.is_none() && outcome == OperationResult::Updated;
        let mut entries = stored.meta().managed_fields.iter().flatten();
        if existed && entries.any(|entry| is_given(entry, &managers, manager)) {
            // The cache did not have it.
            endpoint.upgrade_managed_fields(name, &managers).await?;
            stored = endpoint.apply(name, None, &object).await?.0;
        }
        let version = stored.resource_version().unwrap_or_default().to_owned();
        self.run.applied.insert(&self.run.key, key, Applied { fields, version });
        Ok(Some(Arc::new(stored)))
    }

    /// Returns an object from the caches: if they differ, in the state that was applied. One that is not cached yet may be an orphan.
    async fn find<O: CacheObject + Object>(
        &self,
        listers: Vec<Lister<O>>,
        endpoint: &Endpoint<O>,
        key: &ChildKey,
    ) -> Result<Option<Arc<O>>, ApplyError> {
        let last = self.run.applied.last(&self.run.key, key);
        let cached: Vec<_> =
            listers.iter().filter_map(|lister| lister.find(key.object.namespace(), key.object.name())).collect();
        let is_last = |object: &&Arc<O>| object.resource_version() == last.as_ref().map(|last| &*last.version);
        match cached.iter().find(is_last).or(cached.first()) {
            None if !self.adopts => match endpoint.get(key.object.name()).await {
                Err(error) if error.is_not_found() => Ok(None),
                read => read.map(Arc::new).map(Some).map_err(ApplyError::Request),
            },
            cached => Ok(cached.cloned()),
        }
    }

    /// Returns who applied an object. Fails if it belongs to others.
    fn check_owner(&self, key: &ChildKey, object: &impl CacheObject) -> Result<AppliedBy, ApplyOwnedError> {
        let (kind, name) = (kind_of::<C>(), key.object.to_string());
        let is_owned = is_controlled(object, self.owner.uid(), &kind, &key.object)?;
        if !self.is_member(object, &kind, &key.object)? && !is_owned {
            // What another controller applied for an owner that is gone, or has given it away, is adopted as any other.
            return if self.adopts { Ok(AppliedBy::Unknown) } else { Err(ApplyOwnedError::Orphan { kind, name }) };
        }
        match self.run.applier.applied_by(key, annotation_of(object)) {
            AppliedBy::Other(applier) => Err(ApplyOwnedError::OtherApplier { kind, name, applier }),
            applied_by => Ok(applied_by),
        }
    }
}

impl<K: ReconciledKind> Run<K> {
    fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn annotation_of(object: &impl CacheObject) -> Option<&str> {
    object.annotations().find(|(key, _)| *key == APPLIED_BY_ANNOTATION).map(|(_, value)| value)
}

fn kind_of<C: StaticKind>() -> String {
    C::kind(&()).into_owned()
}
