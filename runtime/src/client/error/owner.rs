/// Why an object cannot own another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The owner has no name or uid.
    #[error(
        "the {kind} cannot own anything: it has no uid yet; create it, and use what the API server returned"
    )]
    Unsaved {
        /// The kind of the owner.
        kind: String,
    },
    /// The owner's namespace is not the child's.
    #[error(
        "an owner in namespace `{owner}` cannot own an object in {}: the garbage collector would take the owner for \
         gone; set the same `metadata.namespace`", 
        child.as_ref().map_or("no namespace".to_owned(), |child| format!("namespace `{child}`"))
    )]
    OtherNamespace {
        /// The owner's.
        owner: String,
        /// The child's.
        child: Option<String>,
    },
    /// Another object controls the child.
    #[error(
        "the {kind} `{name}` controls the object already: remove its owner reference first, or only `set_owner`"
    )]
    Controlled {
        /// The kind of the controller.
        kind: String,
        /// The name of the controller.
        name: String,
    },
}
