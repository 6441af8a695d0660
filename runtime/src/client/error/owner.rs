/// Why an object cannot own another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The owner has no name or uid.
    #[error("the {kind} cannot own anything: it has no uid yet; create it, and use what the API server returned")]
    NotCreated {
        /// The kind of the owner.
        kind: String,
    },
    /// The owner is in another namespace than the child.
    #[error(
        "an owner in namespace `{owner}` cannot own an object in {}: the garbage collector would treat the owner as \
         absent; set the same `metadata.namespace`", 
        child.as_ref().map_or("no namespace".to_owned(), |child| format!("namespace `{child}`"))
    )]
    NamespaceMismatch {
        /// The namespace of the owner.
        owner: String,
        /// The namespace of the child.
        child: Option<String>,
    },
    /// Another object is the controller of the child.
    #[error(
        "the {kind} `{name}` is already the controller of the object: remove its owner reference first, or use `set_owner_reference`"
    )]
    AlreadyOwned {
        /// The kind of the controller.
        kind: String,
        /// The name of the controller.
        name: String,
    },
}
