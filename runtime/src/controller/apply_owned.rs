//! Applies the objects that another object owns, and deletes those that are no longer wanted.

use std::{
    any::TypeId,
    collections::{HashMap, HashSet},
    future::IntoFuture,
    hash::{DefaultHasher, Hash, Hasher},
    marker::PhantomData,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{
    StreamExt, TryStreamExt,
    future::{BoxFuture, FutureExt},
    stream,
};
use serde_json::{Value, json};

use super::{Context, StaticKind, context::Run, kind::namespace_of_child};
use crate::{
    Apply,
    client::{ApplyError, DeleteError, Error as ClientError, OwnerError, OwnerScope, endpoint::Endpoint},
    informer::{CacheObject, ObjectKey},
};

/// Maximum number of objects that one call applies or deletes at the same time.
const CONCURRENCY: usize = 16;

/// Why owned objects were not applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyOwnedError {
    /// An object cannot be serialized.
    #[error("an owned object cannot be serialized: {0}")]
    Encode(#[from] serde_json::Error),
    /// An object has no name.
    #[error("an owned {kind} has no `metadata.name`")]
    MissingName {
        /// The kind.
        kind: String,
    },
    /// An object exists, but has no controller.
    #[error("the {kind} `{name}` exists and has no controller: delete it, or allow its adoption")]
    Orphan {
        /// The kind.
        kind: String,
        /// The name.
        name: String,
    },
    /// An object has another controller, or is in another namespace than its owner.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// A request failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// An object that is no longer wanted cannot be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),
}

/// What was applied last, by the object whose reconciliation applied it. It saves requests that would change nothing.
#[derive(Default)]
pub(super) struct AppliedSet(Mutex<AppliedByOwner>);

type AppliedByOwner = HashMap<ObjectKey, HashMap<(TypeId, ObjectKey), Applied>>;

#[derive(Clone, PartialEq, Eq)]
struct Applied {
    /// The hash of the applied fields.
    fields: u64,
    /// The resourceVersion of the object afterwards.
    version: String,
}

impl AppliedSet {
    /// Forgets what was applied for an object that is gone.
    pub(super) fn remove(&self, owner: &ObjectKey) {
        self.lock().remove(owner);
    }

    /// Forgets what was applied for all objects but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.lock().retain(|owner, _| is_kept(owner));
    }

    fn lock(&self) -> MutexGuard<'_, AppliedByOwner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the objects that a run applies, by kind.
pub(super) type Wanted<K> = HashMap<TypeId, WantedKind<K>>;

pub(super) struct WantedKind<K: StaticKind> {
    names: HashSet<String>,
    owner: K,
    prune: fn(Arc<Run<K>>, K, HashSet<String>) -> Pruned,
}

type Pruned = BoxFuture<'static, Result<(), ApplyOwnedError>>;

impl<K: StaticKind, T> Context<K, T> {
    /// Applies the objects of a kind that an object owns.
    ///
    /// Each object gets a controller reference to the owner, and its namespace. Fields are applied with the field manager
    /// of the manager's client, which takes over fields that other managers own, as Kubernetes recommends for controllers.
    ///
    /// After the reconcile function has succeeded, owned objects of this kind that no call of the run applied are deleted,
    /// unless you [disable](ApplyOwned::without_pruning) it. An object without a controller is
    /// [adopted](ApplyOwned::without_adoption). An object that is terminating is left alone: once it is gone, the owner is
    /// reconciled again.
    ///
    /// An object is not sent if it has not changed since it was applied with the same fields. The kind must be in the cache
    /// of the controller, usually by [`owns`](super::ControllerBuilder::owns).
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
        let objects = objects.into_iter().map(|object| serde_json::to_value(&object));
        ApplyOwned { run: &self.run, owner, objects: objects.collect(), adopts: true, prunes: true, kind: PhantomData }
    }
}

/// Owned objects, which are applied when this is awaited. It returns the stored objects.
#[must_use = "nothing is applied until it is awaited"]
pub struct ApplyOwned<'a, K: StaticKind, C> {
    run: &'a Arc<Run<K>>,
    owner: &'a K,
    objects: Result<Vec<Value>, serde_json::Error>,
    adopts: bool,
    prunes: bool,
    kind: PhantomData<fn() -> C>,
}

impl<K: StaticKind, C> ApplyOwned<'_, K, C> {
    /// Keeps owned objects that are not applied.
    pub fn without_pruning(self) -> Self {
        Self { prunes: false, ..self }
    }

    /// Leaves orphans alone: fails with [`ApplyOwnedError::Orphan`] if an object exists that has no controller, also if it is not
    /// cached yet.
    pub fn without_adoption(self) -> Self {
        Self { adopts: false, ..self }
    }
}

impl<'a, K: StaticKind, C: StaticKind> IntoFuture for ApplyOwned<'a, K, C> {
    type Output = Result<Vec<Arc<C>>, ApplyOwnedError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.send().boxed()
    }
}

impl<K: StaticKind, C: StaticKind> ApplyOwned<'_, K, C> {
    async fn send(mut self) -> Result<Vec<Arc<C>>, ApplyOwnedError> {
        let objects = mem::replace(&mut self.objects, Ok(Vec::new()))?;
        let objects = objects.into_iter().map(|object| self.prepare(object)).collect::<Result<Vec<_>, _>>()?;
        if self.prunes {
            let names = objects.iter().map(|object| object.name.clone());
            let mut wanted = self.run.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let of_kind = wanted.entry(TypeId::of::<C>()).or_insert_with(|| WantedKind {
                names: HashSet::new(),
                owner: self.owner.clone(),
                prune: |run, owner, names| async move { run.prune::<C>(&owner, &names).await }.boxed(),
            });
            of_kind.names.extend(names);
        }
        let applied = objects.into_iter().map(|object| self.apply(object));
        stream::iter(applied).buffered(CONCURRENCY).try_collect().await
    }

    /// Adds the owner to an object.
    fn prepare(&self, mut object: Value) -> Result<Prepared, ApplyOwnedError> {
        let kind = || C::kind(&()).into_owned();
        let owner =
            self.owner.owner_ref(&()).ok_or_else(|| OwnerError::NotCreated { kind: K::kind(&()).into_owned() })?;
        let mut reference = json!(owner);
        reference["controller"] = true.into();
        reference["blockOwnerDeletion"] = true.into();

        let metadata = &mut object["metadata"];
        let name = metadata["name"].as_str().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| ApplyOwnedError::MissingName { kind: kind() })?.to_owned();
        let own = metadata["namespace"].as_str().filter(|own| !own.is_empty());
        let namespace = namespace_of_child::<C>(self.owner.namespace(), own).map(str::to_owned);
        if let (Some(own), Some(owner)) = (own.map(str::to_owned), self.owner.namespace())
            && own != owner
        {
            return Err(OwnerError::NamespaceMismatch { owner: owner.to_owned(), child: Some(own) }.into());
        }
        if let Some(namespace) = &namespace {
            metadata["namespace"] = namespace.as_str().into();
        }
        match metadata["ownerReferences"].as_array_mut() {
            Some(others) => {
                others.retain(|other| other["uid"] != reference["uid"]);
                others.push(reference);
            }
            None => metadata["ownerReferences"] = json!([reference]),
        }
        Ok(Prepared { name, namespace, object })
    }

    async fn apply(&self, prepared: Prepared) -> Result<Arc<C>, ApplyOwnedError> {
        let Prepared { name, namespace, object } = prepared;
        let mut hasher = DefaultHasher::new();
        object.to_string().hash(&mut hasher);
        let fields = hasher.finish();
        let id = (TypeId::of::<C>(), ObjectKey::new(namespace.as_deref(), &name));
        let endpoint = Endpoint::<C>::new(self.run.client.force(), ()).at(namespace.as_deref());
        if let Some(known) = self.find(&endpoint, &name).await? {
            self.check_controller(&*known)?;
            let version = known.resource_version().unwrap_or_default().to_owned();
            let is_applied = self.last_applied(&id) == Some(Applied { fields, version });
            if is_applied || known.is_terminating() {
                return Ok(known);
            }
        }
        let (stored, _) = endpoint.apply(&name, None, &object).await?;
        let version = stored.resource_version().unwrap_or_default().to_owned();
        let mut all = self.run.applied.lock();
        all.entry(self.run.key.clone()).or_default().insert(id, Applied { fields, version });
        Ok(Arc::new(stored))
    }

    /// Returns an object from the cache. One that is not cached yet may be an orphan.
    async fn find(&self, endpoint: &Endpoint<C>, name: &str) -> Result<Option<Arc<C>>, ApplyError> {
        match self.run.lister::<C>().find(endpoint.namespace(), name) {
            None if !self.adopts => match endpoint.get(name).await {
                Err(error) if error.is_not_found() => Ok(None),
                read => read.map(Arc::new).map(Some).map_err(ApplyError::Request),
            },
            cached => Ok(cached),
        }
    }

    fn last_applied(&self, id: &(TypeId, ObjectKey)) -> Option<Applied> {
        self.run.applied.lock().get(&self.run.key)?.get(id).cloned()
    }

    fn check_controller(&self, object: &C) -> Result<(), ApplyOwnedError> {
        let controller = object.owners().find(|owner| owner.controller);
        match controller {
            Some(controller) if Some(controller.uid) != self.owner.uid() => {
                let (kind, name) = (controller.kind.to_owned(), controller.name.to_owned());
                Err(OwnerError::AlreadyOwned { kind, name }.into())
            }
            None if !self.adopts => {
                Err(ApplyOwnedError::Orphan { kind: C::kind(&()).into_owned(), name: object.name().to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// An object with its owner.
struct Prepared {
    name: String,
    namespace: Option<String>,
    object: Value,
}

impl<K: StaticKind> Run<K> {
    /// Deletes the owned objects that the run has not applied.
    pub(super) async fn prune_owned(self: &Arc<Self>) -> Result<(), ApplyOwnedError> {
        let wanted = mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner));
        for kind in wanted.into_values() {
            (kind.prune)(self.clone(), kind.owner, kind.names).await?;
        }
        Ok(())
    }

    async fn prune<C: StaticKind>(&self, owner: &K, names: &HashSet<String>) -> Result<(), ApplyOwnedError> {
        let mut surplus = self.owned::<C>(owner);
        surplus.retain(|object| !names.contains(object.name()) && !object.is_terminating());
        let deletions = surplus.into_iter().map(|object| self.delete(object));
        stream::iter(deletions).buffered(CONCURRENCY).try_collect::<()>().await
    }

    async fn delete<C: StaticKind>(&self, object: Arc<C>) -> Result<(), ApplyOwnedError> {
        let endpoint = Endpoint::<C>::new(self.client.clone(), ()).at(object.namespace());
        let uid = object.uid().unwrap_or_default();
        match endpoint.delete_uid(object.name(), uid).await {
            // It is gone, or another object has its name.
            Err(DeleteError::Request(error)) if error.is_not_found() || matches!(error, ClientError::Conflict(_)) => {
                Ok(())
            }
            deleted => Ok(deleted.map(drop)?),
        }
    }
}
