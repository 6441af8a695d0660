//! What goes wrong while an informer works, none of which stops it.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::{decode::Malformed, panics::PanicMessage};
use crate::client::{
    self,
    error::{JsonError, Mismatch, Undecodable},
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
    Malformed(JsonError),
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
    Panicked(PanicMessage),
    /// There is no thread for the informer.
    #[error("the informer cannot have a thread: {0}")]
    Thread(std::io::Error),
    /// The API server does not know streaming lists: the objects are read in pages.
    #[error("the API server does not serve streaming lists")]
    NoStreamingLists,
}

impl From<Malformed> for WatchError {
    fn from(Malformed(error): Malformed) -> Self {
        Self::Malformed(error.into())
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
        /// What it said, on request.
        message: PanicMessage,
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

#[cfg(test)]
mod tests {
    use std::error::Error;

    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::{
        client::{
            decode,
            expected::{ExpectedTypes, NotExpected},
        },
        informer::{Compact, RefusedWatch, RunError, SyncError, Unreadable, UnsyncedWatch},
    };

    const SECRET: &str = "hunter2";

    fn assert_silent(error: &(dyn Error + 'static)) {
        let mut next = Some(error);
        while let Some(error) = next {
            let texts = format!("{error} {error:?} {error:#?}");
            assert!(!texts.contains(SECRET), "{texts}");
            next = error.source();
        }
    }

    fn malformed() -> WatchError {
        Malformed::from(serde_json::from_value::<u8>(json!(SECRET)).unwrap_err()).into()
    }

    fn unexpected() -> WatchError {
        let expected = ExpectedTypes::of::<ConfigMap>(&());
        let object = json!({ "kind": "Secret", "apiVersion": "v1", "data": SECRET });
        let Err(NotExpected::Mismatch(mismatch)) = expected.check_text(&object.to_string()) else {
            panic!("it is of another kind");
        };
        mismatch.into()
    }

    /// Each case, so that a new one is thought of here.
    fn case(error: &WatchError) -> usize {
        match error {
            WatchError::Request(_) => 0,
            WatchError::Malformed(_) => 1,
            WatchError::Silent(_) => 2,
            WatchError::OutOfOrder { .. } => 3,
            WatchError::Wordless => 4,
            WatchError::Panicked(_) => 5,
            WatchError::Thread(_) => 6,
            WatchError::NoStreamingLists => 7,
            WatchError::Unexpected(_) => 8,
            WatchError::Overdue => 9,
            WatchError::Incomplete => 10,
            WatchError::Mute => 11,
            WatchError::WentBack { .. } => 12,
            WatchError::OtherHistory => 13,
        }
    }

    #[test]
    fn errors_of_watches_show_no_values() {
        let errors = [
            malformed(),
            WatchError::Silent(Duration::ZERO),
            WatchError::OutOfOrder { told: 1, newest: 2 },
            WatchError::Wordless,
            WatchError::Panicked(PanicMessage::of(&SECRET)),
            WatchError::Thread(std::io::ErrorKind::OutOfMemory.into()),
            WatchError::NoStreamingLists,
            unexpected(),
            WatchError::Overdue,
            WatchError::Incomplete,
            WatchError::Mute,
            WatchError::WentBack { newest: 1, told: 2 },
            WatchError::OtherHistory,
        ];
        for (index, error) in errors.into_iter().enumerate() {
            assert_eq!(case(&error), index + 1);
            assert_silent(&error);
            let namespace = None;
            let problem = Problem::Watch {
                namespace,
                error: Arc::new(error),
            };
            assert!(!format!("{problem:?}").contains(SECRET));
        }
        let watch = RefusedWatch {
            namespace: None,
            error: Arc::new(malformed()),
        };
        assert_silent(&SyncError::Refused(vec![watch]));
        let error = Some(Arc::new(malformed()));
        let unsynced = UnsyncedWatch {
            resource: "configmaps".to_owned(),
            namespace: None,
            error: error.clone(),
        };
        assert_silent(&RunError::NotSynced {
            watches: vec![unsynced],
            after: Duration::ZERO,
        });
        let resource = "configmaps".to_owned();
        assert_silent(&RunError::Stopped {
            resource,
            error,
            undrained: None,
        });
    }

    #[test]
    fn objects_that_do_not_fit_are_named_without_their_values() {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" }, "data": SECRET,
        });
        let failure = decode::object::<ConfigMap>(object.to_string().as_bytes()).unwrap_err();
        assert!(!format!("{failure:?}").contains(SECRET));
        let compact: Compact<ConfigMap> = serde_json::from_value(object).unwrap();
        let unreadable: Unreadable = compact.to_full().unwrap_err();
        assert_silent(&unreadable);
        assert!(unreadable.source.unredacted().to_string().contains(SECRET));
    }
}
