use std::time::Duration;

use super::{ClientOperation, Error};

/// Why a wait for a state of an object ended without it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The object was not in the state within the time limit.
    #[error("{} was not in the state that was waited for within {limit:?}: {last_seen}", target(.operation))]
    Elapsed {
        /// The watch.
        operation: Box<ClientOperation>,
        /// The time limit.
        limit: Duration,
        /// What the object last looked like: its [status](crate::status::of), conditions and finalizers.
        last_seen: String,
    },
    /// The object cannot come to the state: see [`Met::Never`](crate::client::Met::Never).
    #[error("{} will not be in the state that is waited for: {reason}", target(.operation))]
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

/// The object of an operation, such as ``Job `migrate` in namespace `default` ``.
fn target(operation: &ClientOperation) -> String {
    let text = operation.to_string();
    text.strip_prefix("watch ").unwrap_or(&text).to_owned()
}
