//! Where the inventory of an object is.

use std::{fmt, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt};
use serde::{Serialize, de::DeserializeOwned};

use super::contents::{Contents, Edit, to_inventory};
use crate::{
    client::{Error as ClientError, UpdateError, endpoint::Endpoint},
    controller::ReconciledKind,
    informer::CacheObject,
    inventory::Inventory,
    subresource::StatusSubresource,
};

/// The form of an inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::controller) enum Form {
    ApplySet,
    Status,
}

/// Where the [inventory](super::super::ControllerBuilder::inventory) of an object is: in its labels and annotations, or in its status.
///
/// | | in the status | as an ApplySet |
/// |---|---|---|
/// | has | each object | the kinds and the namespaces of the objects |
/// | is written | when an object is added or removed | when a kind or a namespace is |
/// | requires | a field of the status | nothing; for `kubectl apply --applyset`, the label `applyset.kubernetes.io/is-parent-type: "true"` of the definition |
/// | objects of a kind that the program no longer applies are found | by their names | by a list of the kind, selected by the label `applyset.kubernetes.io/part-of` |
/// | several controllers of a kind | each has a field of its own | one of them |
#[must_use = "pass it to `ControllerBuilder::inventory`"]
pub struct InventoryStore<K: ReconciledKind>(pub(super) Store<K>);

pub(super) enum Store<K: ReconciledKind> {
    ApplySet,
    Status(Arc<dyn StatusField<K>>),
}

impl<K: ReconciledKind> InventoryStore<K> {
    /// The labels and annotations of an [ApplySet](https://github.com/kubernetes/enhancements/tree/master/keps/sig-cli/3659-kubectl-apply-prune).
    ///
    /// The object gets the label `applyset.kubernetes.io/id` and the annotations `applyset.kubernetes.io/tooling`, `contains-group-kinds`
    /// and `additional-namespaces`. Its members get the label `applyset.kubernetes.io/part-of`. The tool is named by the field manager of
    /// the client and the [name](super::super::ControllerBuilder::name) of the controller; the set of another tool is an error.
    #[doc(alias("applyset.kubernetes.io"))]
    pub const fn apply_set() -> Self {
        Self(Store::ApplySet)
    }

    /// A field of the status, of the type [`Inventory`].
    ///
    /// Only the controller writes it: what a reconcile function changes in it is not written.
    pub fn status(field: impl Fn(&mut K::Status) -> &mut Inventory + Send + Sync + 'static) -> Self
    where
        K: StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
    {
        Self(Store::Status(Arc::new(TypedField(field))))
    }

    pub(super) fn form(&self) -> Form {
        match self.0 {
            Store::ApplySet => Form::ApplySet,
            Store::Status(_) => Form::Status,
        }
    }

    /// Keeps the inventory as it was in an object whose status is edited.
    pub(super) fn keep(&self, before: &K, edited: &mut K) {
        if let Store::Status(field) = &self.0 {
            field.keep(before, edited);
        }
    }
}

impl<K: ReconciledKind> Clone for InventoryStore<K> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Store::ApplySet => Store::ApplySet,
            Store::Status(field) => Store::Status(field.clone()),
        })
    }
}

impl<K: ReconciledKind> fmt::Debug for InventoryStore<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Store::ApplySet => "InventoryStore::apply_set()",
            Store::Status(_) => "InventoryStore::status(..)",
        })
    }
}

/// Another object has the name of the parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replaced;

/// The inventory in the status of objects.
pub(super) trait StatusField<K: ReconciledKind>: Send + Sync {
    fn read(&self, parent: &K) -> Contents;
    fn keep(&self, before: &K, edited: &mut K);
    /// Changes the inventory of an object, which is read before if it is required, and returns what is stored.
    fn edit<'a>(
        &'a self,
        endpoint: &'a Endpoint<K>,
        parent: &'a K,
        edit: &'a Edit,
        reads_first: bool,
    ) -> BoxFuture<'a, Result<Contents, UpdateError<Replaced>>>;
}

struct TypedField<F>(F);

impl<K, F> StatusField<K> for TypedField<F>
where
    K: ReconciledKind + StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
    F: Fn(&mut K::Status) -> &mut Inventory + Send + Sync + 'static,
{
    fn read(&self, parent: &K) -> Contents {
        let mut parent = parent.clone();
        let inventory = parent.status_mut().as_mut().map(|status| Contents::from(&*(self.0)(status)));
        inventory.unwrap_or_else(|| Contents::from(&Inventory::default()))
    }

    fn keep(&self, before: &K, edited: &mut K) {
        let kept = to_inventory(&self.read(before));
        if let Some(status) = edited.status_mut() {
            *(self.0)(status) = kept;
        }
    }

    fn edit<'a>(
        &'a self,
        endpoint: &'a Endpoint<K>,
        parent: &'a K,
        edit: &'a Edit,
        reads_first: bool,
    ) -> BoxFuture<'a, Result<Contents, UpdateError<Replaced>>> {
        let uid = parent.uid();
        let change = move |object: &mut K| {
            if object.uid() != uid {
                return Err(Replaced);
            }
            let inventory = (self.0)(object.status_mut().get_or_insert_default());
            let mut contents = Contents::from(&*inventory);
            let before = contents.clone();
            edit.apply(&mut contents);
            if contents != before {
                *inventory = to_inventory(&contents);
            }
            Ok(())
        };
        async move {
            let updated = if reads_first {
                endpoint.update(parent.name(), Some("status"), change).await
            } else {
                endpoint.update_from(parent, false, Some("status"), change).await
            };
            Ok(self.read(&updated?.0))
        }
        .boxed()
    }
}

/// Whether the parent is gone, or another object has its name.
pub(super) fn is_gone<E>(error: &UpdateError<E>) -> bool {
    matches!(error, UpdateError::Request(ClientError::NotFound(_) | ClientError::Recreated { .. }))
}
