//! The span of each reconciliation.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::atomic::{AtomicU64, Ordering},
};

use tracing::{Span, info_span};

use crate::informer::{Attempt, ObjectKey, queue::Trigger};

/// Creates the spans of a controller's reconciliations.
pub(super) struct Spans {
    controller: String,
    next_id: AtomicU64,
}

impl Spans {
    pub(super) fn new(controller: &str) -> Self {
        // The ids of several processes and controllers begin at different numbers.
        let first = RandomState::new().build_hasher().finish();
        Self { controller: controller.to_owned(), next_id: AtomicU64::new(first) }
    }

    pub(super) fn of(&self, key: &ObjectKey, attempt: &Attempt) -> Span {
        info_span!(
            "reconcile",
            controller = self.controller,
            namespace = key.namespace(),
            name = key.name(),
            reconcile_id = display(format_args!("{:016x}", self.next_id.fetch_add(1, Ordering::Relaxed))),
            trigger = attempt.trigger.name(),
            trigger_resource = attempt.trigger.resource(),
            attempt = attempt.number,
        )
    }
}

impl Trigger {
    /// Returns the name for logs.
    fn name(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::FirstList => "first_list",
            Self::Resync => "resync",
            Self::Change => "change",
            Self::Owned(_) => "owned",
            Self::Watched(_) => "watched",
            Self::Requeue => "requeue",
            Self::Retry => "retry",
        }
    }

    /// Returns the resource of the object that changed, unless it is the reconciled one.
    fn resource(&self) -> Option<&str> {
        match self {
            Self::Owned(resource) | Self::Watched(resource) => Some(resource),
            _ => None,
        }
    }
}
