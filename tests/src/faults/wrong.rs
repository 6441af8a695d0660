//! Answers that look well and are not what was requested.

/// What is answered with 200 instead of a list or a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrongBody {
    /// Nothing.
    Empty,
    /// `null`.
    Null,
    /// `{}`.
    EmptyObject,
    /// A `Status` of a failure.
    Status,
    /// What a health check answers.
    HealthCheck,
    /// A page for people.
    Html,
    /// The list of another kind, without objects.
    OtherKindEmpty,
    /// The list of another kind.
    OtherKind,
    /// The list, but objects of another kind in it.
    OtherItems,
    /// The list without `items`.
    NoItems,
    /// The list, which is no array.
    ItemsObject,
    /// The list without a resourceVersion.
    NoVersion,
    /// The list without `kind`.
    NoKind,
}

impl WrongBody {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Empty,
        Self::Null,
        Self::EmptyObject,
        Self::Status,
        Self::HealthCheck,
        Self::Html,
        Self::OtherKindEmpty,
        Self::OtherKind,
        Self::OtherItems,
        Self::NoItems,
        Self::ItemsObject,
        Self::NoVersion,
        Self::NoKind,
    ];
}

/// What a watch sends that is no event of an object of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WrongEvent {
    /// `MODIFIED` with an object of another kind.
    OtherKind,
    /// `DELETED` with an object of another kind.
    OtherKindDeleted,
    /// `MODIFIED` with an object without `kind` and `apiVersion`.
    NoKind,
    /// `DELETED` with such an object.
    NoKindDeleted,
    /// `MODIFIED` with a `Status`.
    Status,
    /// `MODIFIED` without an object.
    NoObject,
    /// A bookmark without a resourceVersion.
    NoVersionBookmark,
    /// A bookmark of another kind.
    OtherKindBookmark,
}

impl WrongEvent {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OtherKind,
        Self::OtherKindDeleted,
        Self::NoKind,
        Self::NoKindDeleted,
        Self::Status,
        Self::NoObject,
        Self::NoVersionBookmark,
        Self::OtherKindBookmark,
    ];
}
