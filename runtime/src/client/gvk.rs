//! Displays a group, version and kind.

use std::fmt;

use kube_core::{GroupVersionKind, Resource};

/// Displays as `VirtualMachine of infra.example.com/v1`.
pub(crate) struct DisplayGvk<'a>(pub(crate) &'a GroupVersionKind);

impl fmt::Display for DisplayGvk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.0.kind, self.0.api_version())
    }
}

/// Returns the group, version and kind of a type.
pub(crate) fn of<K: Resource<DynamicType = ()>>() -> GroupVersionKind {
    GroupVersionKind::gvk(&K::group(&()), &K::version(&()), &K::kind(&()))
}
