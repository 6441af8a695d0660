//! What goes wrong while an informer works, none of which stops it.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::decode::Malformed;
use crate::client::{
    self,
    error::{Mismatch, Undecodable},
};

/// Why a list or a watch ended before its time. The informer tries again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The API server refused, or did not answer.
    #[error(transparent)]
    Request(#[from] client::Error),
    /// The API server sent something else than was requested, such as a list of another kind.
    #[error(transparent)]
    Unexpected(#[from] Mismatch),
    /// The API server sent what is no event or no list.
    #[error("the API server sent what cannot be read: {0}")]
    Malformed(serde_json::Error),
    /// Nothing came for so long that the connection must be dead.
    #[error("the API server was silent for {0:?}")]
    Silent(Duration),
    /// An event was older than one that the same watch had told before.
    #[error(
        "the watch told the state {told} after it had told {newest}: the objects are read again"
    )]
    #[non_exhaustive]
    OutOfOrder {
        /// The resourceVersion of the event.
        told: u64,
        /// The newest resourceVersion before it.
        newest: u64,
    },
    /// The watch ended at once, without a word.
    #[error("the watch ended without a word")]
    Wordless,
    /// The watch did not end when it was requested to.
    #[error("the API server did not end the watch in time")]
    Overdue,
    /// A streaming list ended before all objects had been sent.
    #[error("the streaming list ended before it was complete: the objects are read in pages")]
    Incomplete,
    /// Watches brought nothing for longer than the API server leaves between two bookmarks: it may have gone back in time,
    /// as after an older backup of etcd was restored.
    #[error("the watch brought no bookmark for too long: the objects are read again")]
    Mute,
    /// The API server has gone back in time, as after an older backup of etcd was restored.
    #[error(
        "the newest state is {newest}, after the watch had reached {told}: the objects are read again"
    )]
    #[non_exhaustive]
    WentBack {
        /// The newest resourceVersion of the API server.
        newest: u64,
        /// The resourceVersion up to which the watch had come.
        told: u64,
    },
    /// After an outage the API server does not repeat the last event before it: it has another history now.
    #[error("the watch does not continue the one before the outage: the objects are read again")]
    OtherHistory,
    /// The watch panicked. It does not go on.
    #[error("the watch panicked: {0}")]
    Panicked(String),
    /// There is no thread for the informer.
    #[error("the informer cannot have a thread: {0}")]
    Thread(std::io::Error),
    /// The API server does not know streaming lists: the objects are read in pages.
    #[error("the API server does not serve streaming lists")]
    NoStreamingLists,
}

impl From<Malformed> for WatchError {
    fn from(Malformed(error): Malformed) -> Self {
        Self::Malformed(error)
    }
}

impl WatchError {
    /// Whether the API server may have gone back in time.
    pub(super) fn is_of_another_time(&self) -> bool {
        matches!(
            self,
            Self::Mute | Self::WentBack { .. } | Self::OtherHistory
        )
    }

    /// Whether it will not be better until somebody changes something: rights, definitions, or the selection.
    pub fn is_refusal(&self) -> bool {
        use client::Error as E;
        if let Self::Request(E::Refused(refusal)) = self {
            return (400..500).contains(&refusal.status.code);
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

/// Something that an informer came across and went on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// An object does not fit the type. The store keeps its last good state, if there was one.
    Undecodable(Arc<Undecodable>),
    /// A list or a watch ended before its time.
    #[non_exhaustive]
    Watch {
        /// The namespace that is watched; `None` for all, and for kinds of the cluster.
        namespace: Option<Arc<str>>,
        /// What happened.
        error: Arc<WatchError>,
    },
    /// A closure of the program panicked on an object. The store keeps the object without what the closure would have
    /// said.
    #[non_exhaustive]
    Panicked {
        /// Which closure, such as ``the index `image` ``.
        closure: String,
        /// The namespace of the object.
        namespace: Option<String>,
        /// The name of the object.
        name: String,
        /// What it said.
        message: String,
    },
}

/// What goes wrong: from [`Informer::problems`](super::Informer::problems).
pub struct Problems {
    /// What stood when this began.
    standing: VecDeque<Problem>,
    problems: Receiver<Problem>,
    missed: u64,
}

impl Problems {
    pub(super) fn new(problems: Receiver<Problem>) -> Self {
        Self {
            standing: VecDeque::new(),
            problems,
            missed: 0,
        }
    }

    /// With what stands now, which is told first.
    pub(super) fn after(self, standing: impl IntoIterator<Item = Problem>) -> Self {
        Self {
            standing: standing.into_iter().collect(),
            ..self
        }
    }

    /// The next problem; `None` once the informer is gone.
    pub async fn next(&mut self) -> Option<Problem> {
        if let Some(problem) = self.standing.pop_front() {
            return Some(problem);
        }
        loop {
            match self.problems.recv().await {
                Ok(problem) => return Some(problem),
                Err(RecvError::Lagged(missed)) => self.missed += missed,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// How many problems were forgotten before they were asked for.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problems")
            .field("missed", &self.missed)
            .finish_non_exhaustive()
    }
}
