//! Responses with the status 200 that are not what was requested.

/// A body with the status 200 that is neither the requested list nor the watch.
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
    /// The response of a health check.
    HealthCheck,
    /// An HTML page.
    Html,
    /// The list of another kind, without objects.
    OtherKindEmpty,
    /// The list of another kind.
    OtherKind,
    /// The list, with objects of another kind in it.
    OtherItems,
    /// The list without `items`.
    NoItems,
    /// The list with an object as `items`.
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

/// An event of a watch that is not of an object of the kind.
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
