use std::time::Duration;

use kube_core::Status;

use super::{ClientOperation, Error};

/// Why a wait for a state of an object ended without it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitUntilError {
    /// The object was not in the state within the time limit.
    #[error("{} was not in the state that was waited for within {limit:?}: {last_seen}{}", target(.operation), unknown(.source.as_deref()))]
    Elapsed {
        /// The watch.
        operation: Box<ClientOperation>,
        /// The time limit.
        limit: Duration,
        /// What the object last looked like: its [status](crate::status::of), conditions and finalizers. Messages are part of it only if
        /// errors [quote values](crate::Client::quote_values).
        last_seen: String,
        /// The last error, if the state of the object was unknown in the end.
        source: Option<Box<Error>>,
    },
    /// The object cannot be in the state any more: see [`Met::Never`](crate::client::Met::Never).
    #[error("{} cannot be in the state that is waited for: {reason}", target(.operation))]
    Never {
        /// The watch.
        operation: Box<ClientOperation>,
        /// The reason.
        reason: String,
    },
    /// The object was deleted.
    #[error("{} was deleted", target(.operation))]
    Deleted {
        /// The watch.
        operation: Box<ClientOperation>,
    },
    /// A request failed.
    #[error(transparent)]
    Request(#[from] Error),
}

impl WaitUntilError {
    /// Returns the Status, if the API server returned an error.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Elapsed { source, .. } => source.as_ref()?.status(),
            Self::Never { .. } | Self::Deleted { .. } => None,
            Self::Request(error) => error.status(),
        }
    }
}

/// The object of an operation, such as ``Job `migrate` in namespace `default` ``.
fn target(operation: &ClientOperation) -> String {
    let text = operation.to_string();
    text.strip_prefix("watch ").unwrap_or(&text).to_owned()
}

fn unknown(error: Option<&Error>) -> &'static str {
    if error.is_some() { "; its state is unknown since, because the last request failed" } else { "" }
}
