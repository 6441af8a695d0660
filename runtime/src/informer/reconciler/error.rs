use std::{fmt, sync::Arc, time::Duration};

use crate::informer::{DrainTimedOut, ObjectKey, WatchError};

/// An error of [`Reconciler::run`](super::Reconciler::run).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Not all initial lists were complete in time. Nothing was reconciled.
    #[error(
        "nothing is reconciled, because not all objects were listed within {after:?}: {}; grant the missing permissions or \
         install the missing resources, or make the informer optional with `start_without`",
        join(.watches)
    )]
    #[non_exhaustive]
    NotSynced {
        /// The watches whose initial list is not complete.
        watches: Vec<UnsyncedWatch>,
        /// The timeout: [`Reconciler::sync_timeout`](super::Reconciler::sync_timeout).
        after: Duration,
    },
    /// An informer was stopped, so its objects are stale.
    #[error(
        "the informer of `{resource}` was stopped while its objects were being reconciled{}{}",
        error_suffix(.error),
        drain_timed_out_suffix(.drain_timed_out)
    )]
    #[non_exhaustive]
    Stopped {
        /// The resource of the informer: plural and group, such as `replicasets.apps`.
        resource: String,
        /// The last error of the informer, if any.
        error: Option<Arc<WatchError>>,
        /// The reconciliations that did not complete in time and were cancelled, if any.
        drain_timed_out: Option<DrainTimedOut<ObjectKey>>,
    },
    /// Reconciliations did not complete in time after shutdown and were cancelled.
    #[error(transparent)]
    DrainTimedOut(#[from] DrainTimedOut<ObjectKey>),
}

impl RunError {
    /// Returns the reconciliations that were cancelled, for any variant.
    pub fn drain_timed_out(&self) -> Option<&DrainTimedOut<ObjectKey>> {
        match self {
            Self::NotSynced { .. } => None,
            Self::Stopped { drain_timed_out, .. } => drain_timed_out.as_ref(),
            Self::DrainTimedOut(drain_timed_out) => Some(drain_timed_out),
        }
    }

    /// Combines the reason of the shutdown with the result of the reconciliations.
    pub(super) fn join(ended: Result<(), Self>, worked: Result<(), Self>) -> Result<(), Self> {
        match (ended, worked) {
            (Err(Self::Stopped { resource, error, .. }), Err(Self::DrainTimedOut(cancelled))) => {
                Err(Self::Stopped { resource, error, drain_timed_out: Some(cancelled) })
            }
            (ended, worked) => ended.and(worked),
        }
    }
}

/// A watch whose initial list is not complete.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnsyncedWatch {
    /// The resource: plural and group, such as `replicasets.apps`.
    pub resource: String,
    /// The namespace; `None` for all namespaces and for cluster-scoped kinds.
    pub namespace: Option<Arc<str>>,
    /// The last error; `None` if there was none and the response is just slow.
    pub error: Option<Arc<WatchError>>,
}

impl fmt::Display for UnsyncedWatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.resource)?;
        if let Some(namespace) = &self.namespace {
            write!(formatter, " in `{namespace}`")?;
        }
        match &self.error {
            Some(error) => write!(formatter, ": {error}"),
            None => formatter.write_str(": no error, the response is still pending"),
        }
    }
}

pub(super) fn join(watches: &[UnsyncedWatch]) -> String {
    let watches: Vec<_> = watches.iter().map(UnsyncedWatch::to_string).collect();
    watches.join("; ")
}

fn drain_timed_out_suffix(drain_timed_out: &Option<DrainTimedOut<ObjectKey>>) -> String {
    let drain_timed_out = drain_timed_out.as_ref();
    drain_timed_out.map_or_else(String::new, |drain_timed_out| format!("; {drain_timed_out}"))
}

fn error_suffix(error: &Option<Arc<WatchError>>) -> String {
    let error_suffix = error.as_ref().map(|error| format!(": {error}"));
    error_suffix.unwrap_or_default()
}
