//! An object as it is stored, and as it would be.

use serde_json::Value;

use crate::client::merge_patch;

/// The resourceVersion of objects that do not exist yet.
pub(super) const PLANNED_VERSION: &str = "1";

/// An object that was written.
#[derive(Clone, Default)]
pub(super) struct Planned {
    /// As it is stored.
    pub(super) live: Option<Value>,
    /// As it would be stored.
    pub(super) now: Option<Value>,
}

impl Planned {
    pub(super) fn exists_only_in_plan(&self) -> bool {
        self.live.is_none() && self.now.is_some()
    }
}

/// Whether the response to a deletion is the last state of an object that is gone, and not one that is terminating.
pub(super) fn is_last_state(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_null()
}

/// Returns an object as it would be stored. A dry run starts with what is stored, and not with what earlier ones would have.
pub(super) fn after(planned: &Planned, stored: &Value) -> Value {
    let mut after = match (&planned.live, &planned.now) {
        (Some(live), Some(now)) if live != now => merge_patch::rebase(now, live, stored),
        (None, Some(now)) => with_identity_of(now, stored.clone()),
        _ => stored.clone(),
    };
    if after["metadata"].is_object() && after["metadata"]["resourceVersion"].is_null() {
        after["metadata"]["resourceVersion"] = PLANNED_VERSION.into();
    }
    after
}

/// Returns an object with the identity of another state of it.
pub(super) fn with_identity_of(now: &Value, mut object: Value) -> Value {
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        let value = &now["metadata"][field];
        if !value.is_null() {
            object["metadata"][field] = value.clone();
        }
    }
    object
}
