//! Whether an object belongs to its owner.

use super::ApplyOwnedError;
use crate::informer::{CacheObject, ObjectKey};

/// Returns whether the owner with a uid is the controller of an object, which otherwise has none. Fails if it has another one.
pub(in crate::controller) fn is_controlled(
    object: &impl CacheObject,
    owner: Option<&str>,
    kind: &str,
    key: &ObjectKey,
) -> Result<bool, ApplyOwnedError> {
    match object.owners().find(|it| it.controller) {
        Some(other) if Some(other.uid) != owner => Err(ApplyOwnedError::OtherOwner {
            kind: kind.to_owned(),
            name: key.to_string(),
            owner_kind: other.kind.to_owned(),
            owner_name: other.name.to_owned(),
        }),
        controller => Ok(controller.is_some()),
    }
}
