//! What was applied last, which saves requests that would change nothing.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::ChildKey;
use crate::informer::ObjectKey;

/// What was applied last, by the object whose reconciliation applied it.
#[derive(Default)]
pub(in crate::controller) struct AppliedSet {
    by_owner: Mutex<AppliedByOwner>,
    has_warned: AtomicBool,
}

type AppliedByOwner = HashMap<ObjectKey, HashMap<ChildKey, Applied>>;

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Applied {
    /// The hash of the applied fields.
    pub(super) fields: u64,
    /// The resourceVersion of the object afterwards.
    pub(super) version: String,
}

impl AppliedSet {
    /// Forgets what was applied for an object that is gone.
    pub(in crate::controller) fn remove(&self, owner: &ObjectKey) {
        self.lock().remove(owner);
    }

    /// Forgets what was applied for all objects but some.
    pub(in crate::controller) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.lock().retain(|owner, _| is_kept(owner));
    }

    pub(super) fn last(&self, owner: &ObjectKey, child: &ChildKey) -> Option<Applied> {
        self.lock().get(owner)?.get(child).cloned()
    }

    pub(super) fn insert(&self, owner: &ObjectKey, child: ChildKey, applied: Applied) {
        self.lock().entry(owner.clone()).or_default().insert(child, applied);
    }

    /// Forgets an object that is deleted.
    pub(in crate::controller) fn forget(&self, owner: &ObjectKey, child: &ChildKey) {
        if let Some(children) = self.lock().get_mut(owner) {
            children.remove(child);
        }
    }

    /// Whether this is the first warning about objects that are kept.
    pub(super) fn warns_first(&self) -> bool {
        !self.has_warned.swap(true, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, AppliedByOwner> {
        self.by_owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
