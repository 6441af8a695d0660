use crate::client::{ApplyError, DeleteError, Error as ClientError, OwnerError};

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
    /// An object has no namespace, and its owner is cluster-scoped.
    #[error("the owned {kind} `{name}` has no `metadata.namespace`, and its owner has none")]
    MissingNamespace {
        /// The kind.
        kind: String,
        /// The name.
        name: String,
    },
    /// One call applies an object twice, or two calls of a run apply it with different fields.
    #[error("the {kind} `{name}` is applied twice in one reconciliation: apply it once")]
    Duplicate {
        /// The kind.
        kind: String,
        /// The namespace, if there is one, and the name: `prod/web`.
        name: String,
    },
    /// Another object is the controller of the object.
    #[error("the {kind} `{name}` belongs to the {owner_kind} `{owner_name}`, which is its controller")]
    OtherOwner {
        /// The kind.
        kind: String,
        /// The namespace, if there is one, and the name.
        name: String,
        /// The kind of the object that is the controller.
        owner_kind: String,
        /// The name of the object that is the controller.
        owner_name: String,
    },
    /// Another controller of the same kind applies the object, for the same owner.
    #[error(
        "the {kind} `{name}` is applied by another controller, `{applier}`: choose another name, or set \
         `formerly_named` if that is a former name of this controller"
    )]
    OtherApplier {
        /// The kind.
        kind: String,
        /// The namespace, if there is one, and the name.
        name: String,
        /// The field manager and the name of the controller.
        applier: String,
    },
    /// An object exists, but has no controller.
    #[error("the {kind} `{name}` exists and has no controller: delete it, or allow its adoption")]
    Orphan {
        /// The kind.
        kind: String,
        /// The namespace, if there is one, and the name.
        name: String,
    },
    /// An object is in the inventory of another object.
    #[error(
        "the {kind} `{name}` is in the inventory of another object, `{owner}`: choose another name, or remove it there first"
    )]
    OtherInventory {
        /// The kind.
        kind: String,
        /// The namespace, if there is one, and the name.
        name: String,
        /// The resource, the namespace and the name of the object that owns it, such as `apps.example.com prod/web`, or the id of its
        /// inventory if the object does not name it.
        owner: String,
    },
    /// The owner is not the object that is reconciled, which alone has an inventory that the run may write.
    #[error(
        "objects are applied by the inventory of the object that is reconciled, and not by that of the {kind} `{name}`"
    )]
    NotReconciled {
        /// The kind of the owner.
        kind: String,
        /// The namespace, if there is one, and the name of the owner.
        name: String,
    },
    /// The owner was deleted meanwhile. Nothing was applied.
    #[error("the {owner} was deleted meanwhile, with its inventory")]
    OwnerGone {
        /// The kind and the name.
        owner: String,
    },
    /// The inventory was not written. Nothing was applied.
    #[error("the inventory cannot be written: {0}")]
    Inventory(#[source] Box<ClientError>),
    /// The API server did not store the inventory. Nothing was applied.
    #[error(
        "the API server has dropped the inventory of the {owner}: install the CustomResourceDefinition of the type, whose status has \
         the field"
    )]
    InventoryNotStored {
        /// The kind and the name of the owner.
        owner: String,
    },
    /// The owner is the parent of an ApplySet that another tool manages. Nothing was applied.
    #[error(
        "the {owner} is the parent of an ApplySet that `{tooling}` manages: use a field of the status for the inventory, or set \
         `formerly_named` if that is a former name of this controller"
    )]
    OtherTooling {
        /// The kind and the name of the owner.
        owner: String,
        /// The name of the tool and its version.
        tooling: String,
    },
    /// The inventory has objects of a kind that cannot be looked up.
    #[error(
        "the inventory has objects of `{kind}`, of which is not known whether the API server serves them: {message}"
    )]
    InventoryKind {
        /// The kind and its group.
        kind: String,
        /// The reason.
        message: String,
    },
    /// The inventory has objects of a kind that the program does not declare, and may not read or delete.
    #[error(
        "the inventory has objects of `{plural}` of the group `{group}`, which another version of the program has applied, and this one \
         must delete: {source}; declare it with `.requires(Access::to_resource(\"{group}\", \"{plural}\", [Verb::Get, Verb::List, \
         Verb::Delete]))`"
    )]
    InventoryForbidden {
        /// The API group; empty for the core group.
        group: String,
        /// The plural name.
        plural: String,
        /// The error.
        source: Box<ClientError>,
    },
    /// An object is in another namespace than its owner, or its owner was not created.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// A request failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// An object that is no longer wanted cannot be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),
}
