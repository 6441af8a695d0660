use kube_core::Status;

use super::{Error, StatusError};

/// Why a Pod was not evicted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvictError {
    /// A PodDisruptionBudget does not allow it now: try again later, as `kubectl drain` does after 5 s. (429)
    #[error("cannot {}: a PodDisruptionBudget does not allow it now: {}; try again later", .0.operation, .0.explain_budget())]
    Budget(Box<StatusError>),
    /// The request failed for another reason, such as one Pod that several budgets select. (500)
    #[error(transparent)]
    Request(Error),
}

impl EvictError {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Budget(status_error) => Some(&status_error.status),
            Self::Request(error) => error.status(),
        }
    }

    /// Returns whether the eviction may or may not have been made: see [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }

    /// Returns whether the Pod does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_not_found())
    }
}

impl From<Error> for EvictError {
    fn from(error: Error) -> Self {
        match error {
            Error::TooManyRequests(status_error) if status_error.is_of_a_budget() => Self::Budget(status_error),
            error => Self::Request(error),
        }
    }
}

impl StatusError {
    /// Whether a PodDisruptionBudget refuses an eviction, which is no overload of the API server.
    pub(crate) fn is_of_a_budget(&self) -> bool {
        self.causes().any(|cause| cause.reason == "DisruptionBudget")
    }
}
