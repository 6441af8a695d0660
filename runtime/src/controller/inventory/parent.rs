//! An object with an inventory, of any kind.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use kube_core::{DynamicObject, ObjectMeta, PartialObjectMetaExt};

use super::{
    Inventories,
    apply_set::{self, ApplySet},
    contents::{Contents, Edit},
    marks::Marks,
    store::{Form, InventoryStore, Replaced, Store, is_gone},
};
use crate::{
    Client,
    client::{
        Error as ClientError, UpdateError,
        endpoint::{AnyMetadata, Endpoint},
    },
    controller::ReconciledKind,
    informer::ObjectKey,
};

/// Why an inventory was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum InventoryFailure {
    /// The parent is gone, or another object has its name.
    #[error("the object is gone")]
    Gone,
    #[error("`{0}` manages it")]
    OtherTool(String),
    #[error("{0}")]
    Request(ClientError),
}

/// An object with an inventory.
pub(super) trait Parent: Send + Sync {
    fn form(&self) -> Form;
    fn marks(&self) -> &Marks;
    /// The names of the controller as the tool of an ApplySet.
    fn tools(&self) -> &[String];
    fn metadata(&self) -> &ObjectMeta;
    /// Returns the inventory in the state of the object that the caller has.
    fn contents(&self) -> Contents;
    /// Changes the inventory, and returns what is stored. With `reads_first`, the state of the object that the caller has is not used.
    fn edit<'a>(&'a self, edit: &'a Edit, reads_first: bool) -> BoxFuture<'a, Result<Contents, InventoryFailure>>;

    fn namespace(&self) -> Option<&str> {
        self.metadata().namespace.as_deref()
    }

    fn uid(&self) -> &str {
        self.metadata().uid.as_deref().unwrap_or_default()
    }

    /// Whether the object is the parent of an ApplySet of another tool, whose members have the same label.
    fn has_other_tool(&self) -> bool {
        self.form() == Form::ApplySet && apply_set::other_tool(self.metadata(), self.tools()).is_some()
    }
}

/// A parent of a kind.
pub(super) struct TypedParent<'a, K: ReconciledKind> {
    endpoint: Endpoint<K>,
    object: &'a K,
    store: InventoryStore<K>,
    marks: Marks,
    tools: Arc<[String]>,
}

impl<'a, K: ReconciledKind> TypedParent<'a, K> {
    pub(super) fn new(client: &Client, object: &'a K, inventories: &Inventories<K>) -> Self {
        let key = ObjectKey::of(object);
        Self {
            endpoint: inventories.kind.endpoint(client, key.namespace()),
            object,
            store: inventories.store.clone(),
            marks: inventories.marks(&key),
            tools: inventories.tools.clone(),
        }
    }
}

/// A parent that cannot be decoded, so that only its metadata is known.
pub(super) struct MetadataParent<'a> {
    pub(super) endpoint: Endpoint<AnyMetadata>,
    pub(super) object: &'a AnyMetadata,
    pub(super) form: Form,
    pub(super) marks: Marks,
    pub(super) tools: Arc<[String]>,
}

impl Parent for MetadataParent<'_> {
    fn form(&self) -> Form {
        self.form
    }

    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn tools(&self) -> &[String] {
        &self.tools
    }

    fn metadata(&self) -> &ObjectMeta {
        &self.object.metadata
    }

    fn contents(&self) -> Contents {
        match self.form {
            Form::ApplySet => apply_set::read(&self.object.metadata),
            Form::Status => Contents::empty(Form::Status),
        }
    }

    fn edit<'a>(&'a self, edit: &'a Edit, reads_first: bool) -> BoxFuture<'a, Result<Contents, InventoryFailure>> {
        async move {
            match self.form {
                Form::ApplySet => {
                    let set = ApplySet { id: &self.marks.id, tools: &self.tools };
                    edit_apply_set(&self.endpoint, &self.object.metadata, &set, edit, reads_first)
                        .await
                        .map_err(failure)
                }
                Form::Status => Ok(self.contents()),
            }
        }
        .boxed()
    }
}

/// Changes the inventory in the metadata of an object, which is read before if it is required.
async fn edit_apply_set(
    endpoint: &Endpoint<AnyMetadata>,
    parent: &ObjectMeta,
    set: &ApplySet<'_>,
    edit: &Edit,
    reads_first: bool,
) -> Result<Contents, UpdateError<EditRefused>> {
    let change = |object: &mut AnyMetadata| {
        if object.metadata.uid != parent.uid {
            return Err(EditRefused::Replaced);
        }
        set.edit(&mut object.metadata, edit).map_err(EditRefused::OtherTool)
    };
    let updated = if reads_first {
        endpoint.update(parent.name.as_deref().unwrap_or_default(), None, change).await
    } else {
        let object = parent.clone().into_response_partial::<DynamicObject>();
        endpoint.update_from(&object, false, None, change).await
    };
    Ok(apply_set::read(&updated?.0.metadata))
}

enum EditRefused {
    Replaced,
    OtherTool(String),
}

impl From<Replaced> for EditRefused {
    fn from(Replaced: Replaced) -> Self {
        Self::Replaced
    }
}

impl<K: ReconciledKind> Parent for TypedParent<'_, K> {
    fn form(&self) -> Form {
        self.store.form()
    }

    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn tools(&self) -> &[String] {
        &self.tools
    }

    fn metadata(&self) -> &ObjectMeta {
        self.object.meta()
    }

    fn contents(&self) -> Contents {
        match &self.store.0 {
            Store::ApplySet => apply_set::read(self.object.meta()),
            Store::Status(field) => field.read(self.object),
        }
    }

    fn edit<'a>(&'a self, edit: &'a Edit, reads_first: bool) -> BoxFuture<'a, Result<Contents, InventoryFailure>> {
        async move {
            match &self.store.0 {
                Store::ApplySet => {
                    let set = ApplySet { id: &self.marks.id, tools: &self.tools };
                    let endpoint = self.endpoint.any_metadata();
                    edit_apply_set(&endpoint, self.object.meta(), &set, edit, reads_first).await.map_err(failure)
                }
                Store::Status(field) => {
                    field.edit(&self.endpoint, self.object, edit, reads_first).await.map_err(failure)
                }
            }
        }
        .boxed()
    }
}

fn failure<E: Into<EditRefused>>(error: UpdateError<E>) -> InventoryFailure {
    if is_gone(&error) {
        return InventoryFailure::Gone;
    }
    match error {
        UpdateError::Aborted(refused) => match refused.into() {
            EditRefused::Replaced => InventoryFailure::Gone,
            EditRefused::OtherTool(tooling) => InventoryFailure::OtherTool(tooling),
        },
        UpdateError::RetriesExhausted { status_error, .. } => {
            InventoryFailure::Request(ClientError::Conflict(status_error))
        }
        UpdateError::Request(error) => InventoryFailure::Request(error),
    }
}
