use crate::client::{ApplyError, DeleteError, OwnerError};

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
