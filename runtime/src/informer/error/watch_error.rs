use std::time::Duration;

use crate::{
    client::{
        self,
        error::{JsonError, Mismatch},
        request::Verb,
    },
    informer::{decode::Malformed, panics::PanicMessage},
};

/// An error that ended a list or a watch. The informer retries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The API server rejected the request or did not respond.
    #[error(transparent)]
    Request(client::Error),
    /// The response is not what was requested, such as a list of another kind.
    #[error(transparent)]
    Unexpected(#[from] Mismatch),
    /// The response is not a valid watch event or list.
    #[error("the API server sent an invalid response: {0}")]
    Malformed(JsonError),
    /// No data arrived for so long that the connection is considered dead.
    #[error("no data was received for {0:?}")]
    IdleTimeout(Duration),
    /// An event was older than a preceding event of the same watch.
    #[error("the watch delivered version {version} after version {newest}: relisting")]
    #[non_exhaustive]
    OutOfOrder {
        /// The resourceVersion of the event.
        version: u64,
        /// The newest resourceVersion that preceded it.
        newest: u64,
    },
    /// The watch ended immediately after it started.
    #[error("the watch ended immediately after it started")]
    ClosedEarly,
    /// The API server did not end the watch at the requested timeout.
    #[error("the API server did not end the watch at the requested timeout")]
    Overdue,
    /// A streaming list ended before all objects were sent.
    #[error("the streaming list ended before it was complete: listing in pages instead")]
    Incomplete,
    /// The watches delivered nothing, not even a bookmark, for longer than the bookmark interval of the API server. Its
    /// history may have been rolled back, for example by restoring an older backup of etcd.
    #[error("the watch delivered no bookmark for too long: relisting")]
    NoBookmark,
    /// The history of the API server was rolled back, for example by restoring an older backup of etcd.
    #[error("the newest resourceVersion is {newest}, but the watch had already reached {reached}: relisting")]
    #[non_exhaustive]
    WentBack {
        /// The newest resourceVersion of the API server.
        newest: u64,
        /// The resourceVersion that the watch had reached.
        reached: u64,
    },
    /// After an outage, the API server did not repeat the last event before it, so its history is a different one.
    #[error("the watch does not continue the one before the outage: relisting")]
    OtherHistory,
    /// The watch panicked and has stopped.
    #[error("the watch panicked: {0}")]
    Panicked(PanicMessage),
    /// The thread of the informer could not be spawned.
    #[error("failed to spawn the thread of the informer: {0}")]
    Thread(std::io::Error),
    /// The API server does not support streaming lists. The objects are listed in pages.
    #[error("the API server does not support streaming lists")]
    NoStreamingLists,
}

/// The verbs that an informer requires.
///
/// `get` is included, as in every built-in role for reading: the permission to list already grants access to each
/// object.
const REQUIRED_VERBS: &[Verb] = &[Verb::Get, Verb::List, Verb::Watch];

impl From<client::Error> for WatchError {
    fn from(mut error: client::Error) -> Self {
        if let client::Error::Forbidden(status_error) = &mut error {
            status_error.needed = REQUIRED_VERBS;
        }
        Self::Request(error)
    }
}

impl From<Malformed> for WatchError {
    fn from(Malformed(error): Malformed) -> Self {
        Self::Malformed(error.into())
    }
}

impl WatchError {
    /// Whether the error indicates that the history of the API server was rolled back.
    pub(in crate::informer) fn is_rollback(&self) -> bool {
        matches!(self, Self::NoBookmark | Self::WentBack { .. } | Self::OtherHistory)
    }

    /// Whether retrying cannot help until permissions, CustomResourceDefinitions or the selection change.
    pub fn is_refusal(&self) -> bool {
        use client::Error as E;
        if let Self::Request(E::Api(status_error)) = self {
            return (400..500).contains(&status_error.status.code);
        }
        matches!(
            self,
            Self::Thread(_)
                | Self::Panicked(_)
                | Self::Request(
                    E::Forbidden(_)
                        | E::Unauthorized(_)
                        | E::NotFound(_)
                        | E::NotServed(_)
                        | E::Invalid(_)
                        | E::InvalidName { .. }
                        | E::InvalidSelector { .. }
                )
        )
    }
}
