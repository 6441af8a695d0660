//! The identity of an owned object.

use std::fmt;

use crate::{
    controller::{ReconciledKind, StaticKind, kind::KindData},
    informer::ObjectKey,
};

/// What identifies an object. Types of different versions may be of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::controller) struct ChildKey {
    pub(super) group: String,
    pub(super) plural: String,
    pub(super) object: ObjectKey,
}

impl ChildKey {
    pub(in crate::controller) fn new(group: &str, plural: &str, object: ObjectKey) -> Self {
        Self { group: group.to_owned(), plural: plural.to_owned(), object }
    }

    pub(in crate::controller) fn of<C: StaticKind>(object: ObjectKey) -> Self {
        Self { group: C::group(&()).into_owned(), plural: C::plural(&()).into_owned(), object }
    }

    pub(in crate::controller) fn of_kind<C: ReconciledKind>(kind: &KindData<C>, object: ObjectKey) -> Self {
        let kind = kind.dynamic();
        Self { group: C::group(kind).into_owned(), plural: C::plural(kind).into_owned(), object }
    }

    /// Returns the plural and the group, such as `deployments.apps`.
    pub(in crate::controller) fn resource(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

impl fmt::Display for ChildKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.resource(), self.object)
    }
}
