use std::time::Duration;

use kube_core::Status;

use super::{ClientOperation, Error};

/// Why an object was not deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// The object is being deleted, but still existed at the time limit.
    #[error("cannot {operation} within {limit:?}: {}", reason(.finalizers))]
    StillExists {
        /// The requested operation.
        operation: Box<ClientOperation>,
        /// The time limit.
        limit: Duration,
        /// The finalizers of the object when it was last read.
        finalizers: Vec<String>,
    },
    /// A request failed.
    #[error(transparent)]
    Request(#[from] Error),
}

impl DeleteError {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::StillExists { .. } => None,
            Self::Request(error) => error.status(),
        }
    }

    /// Returns whether the change may or may not have been made: see [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }

    /// Returns whether the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_not_found())
    }
}

fn reason(finalizers: &[String]) -> String {
    match finalizers {
        [] => "it is still terminating; wait longer, or shorten its grace period with `.grace_period(...)`".to_owned(),
        some => format!("its finalizers are not removed yet: {}", some.join(", ")),
    }
}
