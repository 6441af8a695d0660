//! The span of each reconciliation.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tracing::{Span, field::Empty, info_span};

use super::Action;
use crate::informer::{
    Attempt, ObjectKey,
    queue::{ReconcileOutcome, Trigger},
};

/// Creates the spans of a controller's reconciliations.
pub(super) struct Spans {
    controller: String,
    kind: String,
    next_id: AtomicU64,
}

impl Spans {
    pub(super) fn new(controller: &str, kind: String) -> Self {
        // The ids of several processes and controllers begin at different numbers.
        let first = RandomState::new().build_hasher().finish();
        Self { controller: controller.to_owned(), kind, next_id: AtomicU64::new(first) }
    }

    pub(super) fn of(&self, key: &ObjectKey, attempt: &Attempt) -> Span {
        info_span!(
            "reconcile",
            controller = self.controller,
            kind = self.kind,
            namespace = key.namespace(),
            name = key.name(),
            reconcile_id = display(format_args!("{:016x}", self.next_id.fetch_add(1, Ordering::Relaxed))),
            trigger = attempt.trigger.name(),
            trigger_resource = attempt.trigger.resource(),
            attempt = attempt.number,
            result = Empty,
            otel.status_code = Empty,
        )
    }

    /// Records in the span of a reconciliation, which must be the current one, how it ended.
    pub(super) fn record(outcome: &ReconcileOutcome) {
        let span = Span::current();
        span.record("result", result_name(outcome));
        if !matches!(outcome, ReconcileOutcome::Success(_) | ReconcileOutcome::Postponed) {
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// Returns the name for logs: the label of controller-runtime's metric where it has one.
fn result_name(outcome: &ReconcileOutcome) -> &'static str {
    match outcome {
        ReconcileOutcome::Success(Action::Done) => "success",
        ReconcileOutcome::Success(Action::Requeue(Duration::ZERO)) => "requeue",
        ReconcileOutcome::Success(Action::Requeue(_)) => "requeue_after",
        ReconcileOutcome::Failure { .. } => "error",
        ReconcileOutcome::TerminalFailure(_) => "terminal_error",
        ReconcileOutcome::Panic(_) => "panic",
        ReconcileOutcome::Postponed => "postponed",
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
