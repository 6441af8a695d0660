use std::convert::Infallible;

use kube_core::Status;

use super::{Error, StatusError};

/// Why an object was not updated. `E` is the error type of the closure that changes the object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError<E = Infallible> {
    /// The closure aborted the change; nothing was sent.
    ///
    /// Its error is not the `source()`, because it need not implement `Error`: a text is sufficient. Match on the
    /// variant to access it.
    #[error("{0}")]
    Aborted(E),
    /// Every attempt conflicted with a concurrent change.
    #[error(
        "cannot {}: it was changed concurrently, {attempts} times in a row; retry later, or allow more attempts with \
         `.max_attempts(...)`",
        .status_error.operation
    )]
    RetriesExhausted {
        /// The number of attempts.
        attempts: u32,
        /// The last response of the API server.
        status_error: Box<StatusError>,
    },
    /// A request failed for another reason.
    #[error(transparent)]
    Request(#[from] Error),
}

impl<E> UpdateError<E> {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Aborted(_) => None,
            Self::RetriesExhausted { status_error, .. } => Some(&status_error.status),
            Self::Request(error) => error.status(),
        }
    }

    /// Returns whether the change may or may not have been made: see [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }

    /// Returns whether the object does not exist, or was replaced by another one of the same name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_not_found())
    }
}

/// For functions that send updates and other requests.
impl From<UpdateError> for Error {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Aborted(never) => match never {},
            UpdateError::RetriesExhausted { status_error, .. } => Self::Conflict(status_error),
            UpdateError::Request(error) => error,
        }
    }
}
