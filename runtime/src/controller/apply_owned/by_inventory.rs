//! Applies objects that owner references cannot reach: an inventory of their owner names them.

use serde_json::Value;

use super::{ApplyOwned, ApplyOwnedError, ChildKey, Prepared};
use crate::{
    Apply,
    client::{ApplyError, OwnerError, endpoint::Endpoint},
    controller::{
        Context, ReconciledKind, StaticKind,
        inventory::{Marks, Member, Membership},
    },
    informer::{CacheObject, ObjectKey},
};

impl<K: ReconciledKind, T> Context<K, T> {
    /// Applies the objects of a kind that the reconciled object owns by its [inventory](crate::controller::ControllerBuilder::inventory):
    /// cluster-scoped ones, and those of any namespace. The namespace of an object that has none is that of the owner.
    ///
    /// It does the same as [`apply_owned`](Self::apply_owned), and [prunes](Self::apply_owned) by the same rules, with these
    /// differences:
    ///
    /// - The objects have no owner references, but a label with the id of the inventory and an
    ///   [annotation](crate::controller::INVENTORY_OF_ANNOTATION) that names the owner. By these, their changes reconcile it.
    /// - They are recorded in the inventory before they are applied, and removed from it once they are gone. So what is pruned includes
    ///   the objects of kinds that an earlier version of the program has applied, and this one does not declare. If its roles do not allow
    ///   to delete them, the reconciliation fails with [`ApplyOwnedError::InventoryForbidden`], which names what to declare.
    /// - When the owner is deleted, its finalizer remains until all of them are gone, also those that are
    ///   [not pruned](ApplyOwned::without_pruning).
    /// - An object that does not exist in the cache is looked up before it is applied: the API server prevents two controllers of
    ///   an object, and not two inventories.
    ///
    /// The kind must be declared with [`owns_by_inventory`](crate::controller::ControllerBuilder::owns_by_inventory).
    ///
    /// # Errors
    ///
    /// As for [`apply_owned`](Self::apply_owned), and [`ApplyOwnedError::OtherInventory`] if an object is in the inventory of another one.
    ///
    /// # Panics
    ///
    /// Panics if the kind is not declared. The message names the kind.
    #[doc(alias("ApplySet"))]
    pub fn apply_by_inventory<'a, C: StaticKind>(
        &'a self,
        owner: &'a K,
        objects: impl IntoIterator<Item: Apply<C>>,
    ) -> ApplyOwned<'a, K, C> {
        let (kind, reconciled) = (C::kind(&()), self.run.kind.name());
        assert!(
            self.run.caches.members.is_declared::<C>() && self.run.inventories.is_some(),
            "the controller of {reconciled} does not own {kind} by inventory: add `.owns_by_inventory::<{kind}>()` to it"
        );
        ApplyOwned::new(&self.run, owner, objects, true)
    }
}

impl<K: ReconciledKind, C: StaticKind> ApplyOwned<'_, K, C> {
    /// Returns the uid of the owner, or the id of its inventory.
    pub(super) fn owner_id(&self) -> String {
        let uid = || self.owner.uid().unwrap_or_default().to_owned();
        self.marks().map_or_else(uid, |marks| marks.id)
    }

    /// Returns the marks of the inventory; `None` if the objects have owner references.
    fn marks(&self) -> Option<Marks> {
        let inventories = self.run.inventories.as_ref().filter(|_| self.by_inventory)?;
        Some(inventories.marks(&ObjectKey::of(self.owner)))
    }

    /// Adds the marks of the inventory.
    pub(super) fn mark(&self, metadata: &mut Value) -> Result<(), ApplyOwnedError> {
        let (kind, key) = (self.run.kind.name(), ObjectKey::of(self.owner));
        if self.owner.uid().is_none() {
            return Err(OwnerError::NotCreated { kind }.into());
        }
        if key != self.run.key {
            return Err(ApplyOwnedError::NotReconciled { kind, name: key.to_string() });
        }
        if let Some(marks) = self.marks() {
            marks.add_to(metadata);
        }
        Ok(())
    }

    /// Records the objects in the inventory.
    pub(super) async fn record_members(&self, objects: &[Prepared]) -> Result<(), ApplyOwnedError> {
        let version = C::version(&());
        let members = objects.iter().map(|object| (Member::of::<C>(object.key.object.clone()), version.to_string()));
        self.run.record_members(self.owner, members.collect()).await
    }

    /// Whether an object is in the inventory of the owner. Fails if it is in another one.
    pub(super) fn is_member(
        &self,
        object: &impl CacheObject,
        kind: &str,
        key: &ObjectKey,
    ) -> Result<bool, ApplyOwnedError> {
        let Some(marks) = self.marks() else {
            return Ok(false);
        };
        match marks.membership(object) {
            Membership::Other(owner) => {
                Err(ApplyOwnedError::OtherInventory { kind: kind.to_owned(), name: key.to_string(), owner })
            }
            membership => Ok(membership == Membership::Own),
        }
    }

    /// Fails if an object that is not cached exists and belongs to others.
    pub(super) async fn check_uncached(&self, endpoint: &Endpoint<C>, key: &ChildKey) -> Result<(), ApplyOwnedError> {
        match endpoint.any_metadata().get(key.object.name()).await {
            Ok(object) => self.check_owner(key, &object).map(drop),
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(ApplyError::Request(error).into()),
        }
    }
}
