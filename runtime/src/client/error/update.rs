use std::convert::Infallible;

use kube_core::Status;

use super::{Error, StatusError};

/// Why an object was not updated. `E` is what the closure that changes the object may return.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError<E = Infallible> {
    /// The closure called the change off; nothing was sent.
    ///
    /// What it returned is no `source()`, because it need not be an error: a text will do. Match to have it.
    #[error("{0}")]
    Aborted(E),
    /// Somebody else changed the object each time between reading and writing.
    #[error(
        "cannot {}: others changed it in between, {attempts} times in a row; ask again later, or try more often with \
         `.max_attempts(...)`",
        .status_error.operation
    )]
    RetriesExhausted {
        /// How often it was tried.
        attempts: u32,
        /// What the API server said last.
        status_error: Box<StatusError>,
    },
    /// A request failed for another reason.
    #[error(transparent)]
    Request(#[from] Error),
}

impl<E> UpdateError<E> {
    /// What the API server said, if it said no.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Aborted(_) => None,
            Self::RetriesExhausted { status_error, .. } => Some(&status_error.status),
            Self::Request(error) => error.status(),
        }
    }

    /// Whether it is unknown if the change was made: [`Error::is_outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_outcome_unknown())
    }

    /// Whether the object is not there, or only another one of its name.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_not_found())
    }
}

/// For functions that make updates and other requests.
impl From<UpdateError> for Error {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Aborted(never) => match never {},
            UpdateError::RetriesExhausted { status_error, .. } => Self::Conflict(status_error),
            UpdateError::Request(error) => error,
        }
    }
}
