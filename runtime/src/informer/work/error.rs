use std::{fmt, sync::Arc, time::Duration};

use crate::informer::{ObjectKey, Undrained, WatchError};

/// Why [`Work::run`](super::Work::run) ended other than by being shut down.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Not all objects were read in time, so that nothing was reconciled.
    #[error(
        "nothing is reconciled, since not all objects were read within {after:?}: {}; grant or install what is missing, \
         or leave an informer out by `start_without`",
        list(.watches)
    )]
    #[non_exhaustive]
    NotSynced {
        /// The watches that have not told what there is.
        watches: Vec<UnsyncedWatch>,
        /// How long they had: [`Work::sync_timeout`](super::Work::sync_timeout).
        after: Duration,
    },
    /// An informer was stopped, so that what is read from it is old.
    #[error(
        "the informer of `{resource}` was stopped while work was done with its objects{}{}",
        reason(.error),
        also(.undrained)
    )]
    #[non_exhaustive]
    Stopped {
        /// Its objects: plural and group, such as `replicasets.apps`.
        resource: String,
        /// What went wrong last in it, if anything did.
        error: Option<Arc<WatchError>>,
        /// The reconciliations that still ran some time later and were cancelled, if any did.
        undrained: Option<Undrained<ObjectKey>>,
    },
    /// Reconciliations still ran some time after the end, and were cancelled.
    #[error(transparent)]
    Undrained(#[from] Undrained<ObjectKey>),
}

impl RunError {
    /// The reconciliations that were cancelled, whatever else ended the work.
    pub fn undrained(&self) -> Option<&Undrained<ObjectKey>> {
        match self {
            Self::NotSynced { .. } => None,
            Self::Stopped { undrained, .. } => undrained.as_ref(),
            Self::Undrained(undrained) => Some(undrained),
        }
    }

    /// What ended the work, and what came of the reconciliations that ran then.
    pub(super) fn join(ended: Result<(), Self>, worked: Result<(), Self>) -> Result<(), Self> {
        match (ended, worked) {
            (
                Err(Self::Stopped {
                    resource, error, ..
                }),
                Err(Self::Undrained(cancelled)),
            ) => Err(Self::Stopped {
                resource,
                error,
                undrained: Some(cancelled),
            }),
            (ended, worked) => ended.and(worked),
        }
    }
}

/// A watch that has not told what there is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnsyncedWatch {
    /// The objects: plural and group, such as `replicasets.apps`.
    pub resource: String,
    /// The namespace; `None` for all, and for kinds of the cluster.
    pub namespace: Option<Arc<str>>,
    /// What went wrong last; `None` if nothing did, and it only takes long.
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
            None => formatter.write_str(": no error, the answer takes longer"),
        }
    }
}

pub(super) fn list(watches: &[UnsyncedWatch]) -> String {
    let watches: Vec<_> = watches.iter().map(UnsyncedWatch::to_string).collect();
    watches.join("; ")
}

fn also(undrained: &Option<Undrained<ObjectKey>>) -> String {
    let undrained = undrained.as_ref();
    undrained.map_or_else(String::new, |undrained| format!("; {undrained}"))
}

fn reason(error: &Option<Arc<WatchError>>) -> String {
    let reason = error.as_ref().map(|error| format!(": {error}"));
    reason.unwrap_or_default()
}
