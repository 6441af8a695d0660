use std::time::Duration;

use crate::{
    client::{
        self,
        error::{JsonError, Mismatch},
        request::Verb,
    },
    informer::{decode::Malformed, panics::PanicMessage},
};

/// Why a list or a watch ended before its time. The informer tries again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The API server refused, or did not answer.
    #[error(transparent)]
    Request(client::Error),
    /// The API server sent something else than was requested, such as a list of another kind.
    #[error(transparent)]
    Unexpected(#[from] Mismatch),
    /// The API server sent what is no event or no list.
    #[error("the API server sent what cannot be read: {0}")]
    Malformed(JsonError),
    /// Nothing came for so long that the connection must be dead.
    #[error("nothing was received for {0:?}")]
    IdleTimeout(Duration),
    /// An event was older than an earlier one of the same watch.
    #[error(
        "the watch delivered version {version} after version {newest}: the objects are read again"
    )]
    #[non_exhaustive]
    OutOfOrder {
        /// The resourceVersion of the event.
        version: u64,
        /// The newest resourceVersion before it.
        newest: u64,
    },
    /// The watch ended as soon as it had started.
    #[error("the watch ended as soon as it had started")]
    ClosedEarly,
    /// The watch did not end when it was requested to.
    #[error("the API server did not end the watch in time")]
    Overdue,
    /// A streaming list ended before all objects had been sent.
    #[error("the streaming list ended before it was complete: the objects are read in pages")]
    Incomplete,
    /// Watches brought nothing for longer than the API server leaves between two bookmarks: it may have gone back in time,
    /// as after an older backup of etcd was restored.
    #[error("the watch brought no bookmark for too long: the objects are read again")]
    NoBookmark,
    /// The API server has gone back in time, as after an older backup of etcd was restored.
    #[error(
        "the newest state is {newest}, after the watch had reached {reached}: the objects are read again"
    )]
    #[non_exhaustive]
    WentBack {
        /// The newest resourceVersion of the API server.
        newest: u64,
        /// The resourceVersion up to which the watch had come.
        reached: u64,
    },
    /// After an outage the API server does not repeat the last event before it: it has another history now.
    #[error("the watch does not continue the one before the outage: the objects are read again")]
    OtherHistory,
    /// The watch panicked. It does not go on.
    #[error("the watch panicked: {0}")]
    Panicked(PanicMessage),
    /// The thread of the informer could not be spawned.
    #[error("failed to spawn the thread of the informer: {0}")]
    Thread(std::io::Error),
    /// The API server does not know streaming lists: the objects are read in pages.
    #[error("the API server does not serve streaming lists")]
    NoStreamingLists,
}

/// What a user has to be allowed whose informers are to work: `get` too, as in every role that reads, since who may list
/// can read each object anyway.
const NEEDED: &[Verb] = &[Verb::Get, Verb::List, Verb::Watch];

impl From<client::Error> for WatchError {
    fn from(mut error: client::Error) -> Self {
        if let client::Error::Forbidden(status_error) = &mut error {
            status_error.needed = NEEDED;
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
    /// Whether the API server may have gone back in time.
    pub(in crate::informer) fn is_of_another_time(&self) -> bool {
        matches!(
            self,
            Self::NoBookmark | Self::WentBack { .. } | Self::OtherHistory
        )
    }

    /// Whether it will not be better until somebody changes something: rights, definitions, or the selection.
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
