//! Owned objects that owner references cannot reach: cluster-scoped ones of a namespaced owner, and those in other namespaces.
//!
//! The owner has an inventory of them, and a finalizer. They have marks that lead to the owner.

mod apply_set;
mod contents;
mod deletion;
mod known;
mod marks;
mod members;
mod parent;
mod pruning;
mod settings;
mod store;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;

use self::{
    contents::{Contents, Edit},
    deletion::Deletion,
    known::{KnownInventories, State},
    parent::{InventoryFailure, MetadataParent, Parent, TypedParent},
    pruning::MemberPruning,
};
use super::{
    Action, ApplyOwnedError, ReconciledKind,
    apply_owned::{AppliedSet, Applier, ChildKey},
    context::Run,
    kind::KindData,
    requirements::RequiredKind,
};
use crate::{
    Client,
    client::endpoint::{AnyMetadata, Endpoint},
    informer::ObjectKey,
};

pub(super) use contents::Member;
pub use marks::INVENTORY_OF_ANNOTATION;
pub(super) use marks::{Marks, Membership, parent_key};
pub(super) use members::{MemberCaches, MemberLister};
pub(super) use settings::{InventorySettings, InventoryUse};
pub use store::InventoryStore;

/// When it is looked again whether members that are being deleted are gone. Those that are cached are reported earlier.
const POLL: Duration = Duration::from_secs(5);

/// The inventories of the objects of a controller.
pub(super) struct Inventories<K: ReconciledKind> {
    kind: KindData<K>,
    store: InventoryStore<K>,
    /// The kinds that the controller declares.
    declared: Vec<RequiredKind>,
    /// The names of the controller as the tool of an ApplySet: the present one, and former ones.
    tools: Arc<[String]>,
    known: KnownInventories,
}

impl<K: ReconciledKind> Inventories<K> {
    pub(super) fn new(
        kind: KindData<K>,
        store: InventoryStore<K>,
        declared: Vec<RequiredKind>,
        applier: &Applier,
    ) -> Self {
        // The part before the first `/` is the name of a tool, the rest is its version.
        let tools = applier.names().map(|name| name.replace('/', ".")).collect();
        Self { kind, store, declared, tools, known: KnownInventories::default() }
    }

    /// Returns the marks of the members of an object.
    pub(super) fn marks(&self, object: &ObjectKey) -> Marks {
        Marks::of(&self.kind, self.store.form(), object)
    }

    /// Keeps the inventory as it was in an object whose status is edited.
    pub(super) fn keep(&self, before: &K, edited: &mut K) {
        self.store.keep(before, edited);
    }

    /// Forgets an object that is gone.
    pub(super) fn forget(&self, object: &ObjectKey) {
        self.known.forget(object);
    }

    /// Forgets all objects but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.known.retain(is_kept);
    }
}

impl<K: ReconciledKind> Run<K> {
    /// Records objects in the inventory of their owner, before they are applied.
    pub(super) async fn record_members(
        &self,
        owner: &K,
        members: Vec<(Member, String)>,
    ) -> Result<(), ApplyOwnedError> {
        let Some(inventories) = &self.inventories else {
            return Ok(());
        };
        let parent = TypedParent::new(&self.client, owner, inventories);
        let kind = self.kind.name();
        let is_planned = self.planned.is_some();
        let record = Record { key: &self.key, kind: &kind, parent: &parent, known: &inventories.known, is_planned };
        record.add(members).await
    }

    /// Deletes the members that the run has not applied, and narrows the inventory.
    pub(super) async fn prune_members(
        &self,
        wanted: &BTreeSet<Member>,
        is_pruned: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<(), ApplyOwnedError> {
        let Some(inventories) = &self.inventories else {
            return Ok(());
        };
        let Some(object) = self.object() else {
            return Ok(());
        };
        let parent = TypedParent::new(&self.client, &*object, inventories);
        self.member_work(inventories, &parent, &self.kind.name()).prune(wanted, is_pruned).await
    }

    /// Deletes all members of an object, and returns whether they are gone.
    pub(super) async fn delete_members(&self, object: &K) -> Result<Action, ApplyOwnedError> {
        let Some(inventories) = &self.inventories else {
            return Ok(Action::Done);
        };
        let parent = TypedParent::new(&self.client, object, inventories);
        self.member_work(inventories, &parent, &self.kind.name()).delete_all().await
    }

    /// Like [`delete_members`](Self::delete_members), for an object that cannot be decoded.
    pub(super) async fn delete_members_of_undecodable(
        &self,
        endpoint: &Endpoint<K>,
        object: &AnyMetadata,
    ) -> Result<Action, ApplyOwnedError> {
        let Some(inventories) = &self.inventories else {
            return Ok(Action::Done);
        };
        let parent = MetadataParent {
            endpoint: endpoint.any_metadata(),
            object,
            form: inventories.store.form(),
            marks: inventories.marks(&ObjectKey::of(object)),
            tools: inventories.tools.clone(),
        };
        self.member_work(inventories, &parent, &self.kind.name()).delete_all().await
    }

    fn member_work<'a>(&'a self, inventories: &'a Inventories<K>, parent: &'a dyn Parent, kind: &'a str) -> Work<'a> {
        Work {
            record: Record {
                key: &self.key,
                kind,
                parent,
                known: &inventories.known,
                is_planned: self.planned.is_some(),
            },
            client: &self.client,
            caches: &self.caches.members,
            applied: &self.applied,
            applier: &self.applier,
            declared: &inventories.declared,
        }
    }
}

/// The inventory of one object.
struct Record<'a> {
    key: &'a ObjectKey,
    kind: &'a str,
    parent: &'a dyn Parent,
    known: &'a KnownInventories,
    is_planned: bool,
}

impl<'a> Record<'a> {
    fn add(self, members: Vec<(Member, String)>) -> BoxFuture<'a, Result<(), ApplyOwnedError>> {
        // Boxed, so that it is compiled once, and not for each kind.
        Box::pin(async move {
            let added = Contents::of(self.parent.form(), members, self.parent.namespace());
            let cached = self.parent.contents();
            let is_recorded = match self.known.state(self.key, self.parent.uid(), &cached) {
                State::Cached => cached.covers(&added),
                State::Stored(stored) => cached.covers(&added) && stored.covers(&added),
                State::Uncertain => false,
            };
            if is_recorded {
                return Ok(());
            }
            let stored = self.edit(&Edit::Add(added.clone())).await?;
            // The dry run of a status is not known if the object itself is only planned.
            if stored.covers(&added) || self.is_planned { Ok(()) } else { Err(self.not_stored()) }
        })
    }

    /// Returns everything that the inventory may have.
    async fn all(&self) -> Result<Contents, ApplyOwnedError> {
        let mut all = self.parent.contents();
        match self.known.state(self.key, self.parent.uid(), &all) {
            State::Cached => {}
            State::Stored(stored) => all.add(&stored),
            State::Uncertain => all.add(&self.read().await?),
        }
        Ok(all)
    }

    /// Reads the inventory from the API server.
    async fn read(&self) -> Result<Contents, ApplyOwnedError> {
        let nothing = Edit::Add(Contents::empty(self.parent.form()));
        let stored = self.parent.edit(&nothing, true).await.map_err(|failure| self.failure(failure))?;
        self.known.stored(self.key, self.parent.uid(), stored.clone());
        Ok(stored)
    }

    async fn edit(&self, edit: &Edit) -> Result<Contents, ApplyOwnedError> {
        let uid = self.parent.uid();
        let is_cached = matches!(self.known.state(self.key, uid, &self.parent.contents()), State::Cached);
        self.known.begin(self.key, uid);
        let stored = self.parent.edit(edit, !is_cached).await.map_err(|failure| self.failure(failure))?;
        self.known.stored(self.key, uid, stored.clone());
        Ok(stored)
    }

    fn owner(&self) -> String {
        format!("{} `{}`", self.kind, self.key)
    }

    fn not_stored(&self) -> ApplyOwnedError {
        ApplyOwnedError::InventoryNotStored { owner: self.owner() }
    }

    fn failure(&self, failure: InventoryFailure) -> ApplyOwnedError {
        match failure {
            InventoryFailure::OtherTool(tooling) => ApplyOwnedError::OtherTooling { owner: self.owner(), tooling },
            InventoryFailure::Gone => ApplyOwnedError::OwnerGone { owner: self.owner() },
            InventoryFailure::Request(source) => ApplyOwnedError::Inventory(Box::new(source)),
        }
    }
}

/// The inventory of one object, and what the deletion of its members needs.
struct Work<'a> {
    record: Record<'a>,
    client: &'a Client,
    caches: &'a MemberCaches,
    applied: &'a AppliedSet,
    applier: &'a Applier,
    declared: &'a [RequiredKind],
}

impl<'a> Work<'a> {
    fn deletion(&self, includes_kept: bool) -> Deletion<'_> {
        Deletion {
            client: self.client,
            applier: self.applier,
            marks: self.record.parent.marks(),
            declared: self.declared,
            parent_namespace: self.record.parent.namespace(),
            includes_kept,
        }
    }

    fn prune(
        self,
        wanted: &'a BTreeSet<Member>,
        is_pruned: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> BoxFuture<'a, Result<(), ApplyOwnedError>> {
        Box::pin(async move {
            if self.record.parent.has_other_tool() {
                return Ok(());
            }
            let recorded = self.record.all().await?;
            let (parent, caches, deletion) = (self.record.parent, self.caches, self.deletion(false));
            let pruning = MemberPruning { deletion, parent, caches, wanted, is_pruned };
            let (unneeded, deleted) = pruning.prune(&recorded).await?;
            self.forget(&deleted);
            if !unneeded.is_empty() {
                self.record.edit(&Edit::Remove(unneeded)).await?;
            }
            Ok(())
        })
    }

    fn delete_all(self) -> BoxFuture<'a, Result<Action, ApplyOwnedError>> {
        Box::pin(async move {
            let recorded = match self.record.read().await {
                // Somebody else has removed the finalizer, or has made it the set of another tool.
                Err(ApplyOwnedError::OwnerGone { .. } | ApplyOwnedError::OtherTooling { .. }) => {
                    return Ok(Action::Done);
                }
                read => read?,
            };
            let wanted = BTreeSet::new();
            let pruning = MemberPruning {
                deletion: self.deletion(true),
                parent: self.record.parent,
                caches: self.caches,
                wanted: &wanted,
                is_pruned: &|_| true,
            };
            let remaining = pruning.delete_all(&recorded).await?;
            if remaining.is_empty() { Ok(Action::Done) } else { Ok(Action::requeue(POLL)) }
        })
    }

    fn forget(&self, deleted: &[Member]) {
        for Member { kind, object } in deleted {
            let declared = self.declared.iter().find(|it| it.group == kind.group && it.kind == kind.kind);
            if let Some(declared) = declared {
                let child = ChildKey::new(&declared.group, &declared.plural, object.clone());
                self.applied.forget(self.record.key, &child);
            }
        }
    }
}
