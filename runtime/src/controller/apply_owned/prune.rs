//! Deletes the owned objects that a run has not applied.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    mem,
    sync::{Arc, PoisonError},
};

use futures_util::{StreamExt, TryFutureExt, TryStreamExt, future::BoxFuture, stream};
use kube_core::ObjectMeta;

use super::{
    APPLIED_BY_ANNOTATION, AppliedSet, ApplyOwnedError, CONCURRENCY, ChildKey,
    applier::{AppliedBy, Applier},
};
use crate::{
    Client,
    client::{DeleteError, Error as ClientError},
    controller::{
        ReconciledKind,
        caches::{Cache, Caches},
        context::Run,
        inventory::Member,
        kind::KindData,
    },
    informer::{CacheObject, Lister, ObjectKey},
};

/// How often the deletion of an object is repeated that changes at the same time, until the run fails and is repeated as a whole.
const ATTEMPTS: usize = 4;

/// What a run has applied.
#[derive(Default)]
pub(in crate::controller) struct Wanted {
    /// The hash of the fields of each object.
    pub(super) objects: HashMap<ChildKey, u64>,
    /// The objects that were applied by inventory.
    pub(super) members: BTreeSet<Member>,
    /// The kinds of which a call prunes, or keeps, what is not applied: the uid of the owner, or the id of its inventory, and the
    /// resource.
    pub(super) pruned: HashSet<(String, String)>,
    pub(super) kept: HashSet<(String, String)>,
    /// The number of calls that have failed, or were dropped: what they apply is not known.
    pub(super) incomplete_calls: usize,
    /// Whether the function keeps what it has not applied.
    pub(super) keeps_all: bool,
}

/// How much of what is owned a function has decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::controller) enum Extent {
    /// All objects: what it did not apply is not wanted.
    All,
    /// The kinds that it applied: it requested another run, and may not have applied everything.
    Requeued,
    /// The kinds that it applied: it cleans up, and the others are not its concern.
    CleanUp,
}

/// An object in a cache whose controller is the owner.
pub(in crate::controller) struct CachedChild {
    pub(in crate::controller) key: ChildKey,
    uid: String,
    version: String,
    is_terminating: bool,
    applied_by: Option<String>,
}

/// When an object is surplus: a controller applied it for an owner.
pub(in crate::controller) struct Surplus {
    applier: Arc<Applier>,
    owner: String,
}

impl Surplus {
    fn includes(&self, child: &CachedChild, metadata: &ObjectMeta) -> bool {
        let annotation = metadata.annotations.as_ref().and_then(|all| all.get(APPLIED_BY_ANNOTATION));
        let applied_by = self.applier.applied_by(&child.key, annotation.map(String::as_str));
        metadata.uid.as_deref() == Some(&child.uid)
            && metadata.deletion_timestamp.is_none()
            && metadata.owner_references.iter().flatten().any(|it| it.controller == Some(true) && it.uid == self.owner)
            && applied_by == AppliedBy::Own { is_kept: false }
    }
}

pub(in crate::controller) fn cached_children<C: ReconciledKind>(
    kind: &KindData<C>,
    lister: &Lister<C>,
    owner: &str,
) -> Vec<CachedChild> {
    let all = lister.owned_by_uid(owner).into_iter();
    let controlled = all.filter(|object| object.owners().any(|it| it.controller && it.uid == owner));
    let cached = controlled.map(|object| {
        let applied_by = object.annotations().find(|(key, _)| *key == APPLIED_BY_ANNOTATION);
        CachedChild {
            key: ChildKey::of_kind(kind, ObjectKey::of(&*object)),
            uid: object.uid().unwrap_or_default().to_owned(),
            version: object.resource_version().unwrap_or_default().to_owned(),
            is_terminating: object.is_terminating(),
            applied_by: applied_by.map(|(_, value)| value.to_owned()),
        }
    });
    cached.collect()
}

/// Deletes an object in the state in which it is surplus: if it has changed since, that is decided again.
pub(in crate::controller) async fn delete_surplus<C: ReconciledKind>(
    kind: KindData<C>,
    client: Client,
    child: CachedChild,
    surplus: Surplus,
) -> Result<(), ApplyOwnedError> {
    let (namespace, name) = (child.key.object.namespace(), child.key.object.name());
    let endpoint = kind.endpoint(&client, namespace);
    let (mut version, mut attempts) = (child.version.clone(), 1);
    loop {
        match endpoint.delete(name).uid(&child.uid).resource_version(&version).await {
            Err(DeleteError::Request(error)) if error.is_not_found() => return Ok(()),
            Err(DeleteError::Request(ClientError::Conflict(_))) if attempts < ATTEMPTS => attempts += 1,
            deleted => return Ok(deleted.map(drop)?),
        }
        match endpoint.any_metadata().get(name).await {
            Ok(current) if surplus.includes(&child, &current.metadata) => {
                version = current.metadata.resource_version.unwrap_or_default();
            }
            // Another object has its name, or it belongs to somebody else now.
            Ok(_) => return Ok(()),
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(ApplyOwnedError::Delete(error.into())),
        }
    }
}

impl<K: ReconciledKind> Run<K> {
    /// Deletes the owned objects that the run has not applied.
    pub(in crate::controller) async fn prune_owned(&self, extent: Extent) -> Result<(), ApplyOwnedError> {
        let wanted = mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner));
        if wanted.keeps_all || wanted.incomplete_calls > 0 {
            return Ok(());
        }
        let own = self.object().and_then(|object| object.uid().map(str::to_owned));
        if let Some(inventories) = &self.inventories {
            let id = inventories.marks(&self.key).id;
            let is_pruned = |resource: &str| {
                let kind = (id.clone(), resource.to_owned());
                wanted.pruned.contains(&kind) || (extent == Extent::All && !wanted.kept.contains(&kind))
            };
            self.prune_members(&wanted.members, &is_pruned).await?;
        }
        let Self { key, client, caches, applied, applier, .. } = self;
        Pruning { key, client, caches, applied, applier, wanted }.prune(own, extent).await
    }
}

/// What a run has applied, and what pruning needs of the run.
struct Pruning<'a> {
    key: &'a ObjectKey,
    client: &'a Client,
    caches: &'a Caches,
    applied: &'a AppliedSet,
    applier: &'a Arc<Applier>,
    wanted: Wanted,
}

impl<'a> Pruning<'a> {
    /// `own` is the uid of the reconciled object, if it exists.
    fn prune(self, own: Option<String>, extent: Extent) -> BoxFuture<'a, Result<(), ApplyOwnedError>> {
        // Boxed, so that it is compiled once, and not for each kind.
        Box::pin(async move { self.delete_surplus(own.as_deref(), extent).await })
    }

    async fn delete_surplus(&self, own: Option<&str>, extent: Extent) -> Result<(), ApplyOwnedError> {
        let mut owners: HashSet<_> = self.wanted.pruned.iter().map(|(owner, _)| owner.as_str()).collect();
        owners.extend(own);
        let (mut surplus, mut undecided) = (Vec::new(), Vec::new());
        for owner in owners {
            for (cache, child) in self.surplus_of(owner) {
                let kind = (owner.to_owned(), child.key.resource());
                let is_undecided = own == Some(owner) && !self.wanted.kept.contains(&kind);
                if self.wanted.pruned.contains(&kind) || (is_undecided && extent == Extent::All) {
                    let surplus_of = Surplus { applier: self.applier.clone(), owner: owner.to_owned() };
                    surplus.push((cache, child, surplus_of));
                } else if is_undecided {
                    undecided.push(child.key.to_string());
                }
            }
        }
        if extent == Extent::Requeued && !undecided.is_empty() && self.applied.warns_first() {
            self.warn_of_kept(&undecided);
        }
        let deletions: Vec<_> = surplus
            .into_iter()
            .map(|(cache, child, surplus)| {
                let key = child.key.clone();
                let deleted = cache.delete(self.client, child, surplus);
                deleted.map_ok(move |()| self.applied.forget(self.key, &key))
            })
            .collect();
        stream::iter(deletions).buffered(CONCURRENCY).try_collect::<()>().await
    }

    /// Returns the objects that the controller applied for an owner, and that are not wanted.
    fn surplus_of(&self, owner: &str) -> Vec<(Arc<dyn Cache>, CachedChild)> {
        let mut children = self.caches.children(owner);
        children.retain(|(_, child)| {
            let applied_by = self.applier.applied_by(&child.key, child.applied_by.as_deref());
            let is_pruned = applied_by == AppliedBy::Own { is_kept: false };
            is_pruned && !child.is_terminating && !self.wanted.objects.contains_key(&child.key)
        });
        children
    }

    fn warn_of_kept(&self, objects: &[String]) {
        let (key, objects) = (self.key, objects.join(", "));
        tracing::warn!(
            %key,
            objects,
            "earlier reconciliations applied objects that this one did not apply; they are kept, because it requested another one: \
             return `Action::Done`, or apply an empty list of the kind to delete them"
        );
    }
}
