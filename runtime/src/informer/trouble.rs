//! What goes wrong while an informer works, none of which stops it.

use std::{fmt, sync::Arc, time::Duration};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::decode::Malformed;
use crate::client::{
    self,
    error::{JsonError, Undecodable},
};

/// Why a list or a watch ended before its time. The informer tries again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The API server refused, or did not answer.
    #[error(transparent)]
    Request(#[from] client::Error),
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
        Self::Malformed(error.into())
    }
}

impl WatchError {
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

/// What goes wrong, as it happens: from [`Informer::problems`](super::Informer::problems).
pub struct Problems {
    problems: Receiver<Problem>,
    missed: u64,
}

impl Problems {
    pub(super) fn new(problems: Receiver<Problem>) -> Self {
        Self {
            problems,
            missed: 0,
        }
    }

    /// The next problem; `None` once the informer is gone.
    pub async fn next(&mut self) -> Option<Problem> {
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
        client::decode,
        informer::{Compact, RefusedWatch, SyncError, Unreadable},
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

    /// Each case, so that a new one is thought of here.
    fn case(error: &WatchError) -> usize {
        match error {
            WatchError::Request(_) => 0,
            WatchError::Malformed(_) => 1,
            WatchError::Silent(_) => 2,
            WatchError::OutOfOrder { .. } => 3,
            WatchError::Wordless => 4,
            // The words of the program.
            WatchError::Panicked(_) => 5,
            WatchError::Thread(_) => 6,
            WatchError::NoStreamingLists => 7,
        }
    }

    #[test]
    fn errors_of_watches_show_no_values() {
        let errors = [
            malformed(),
            WatchError::Silent(Duration::ZERO),
            WatchError::OutOfOrder { told: 1, newest: 2 },
            WatchError::Wordless,
            WatchError::Panicked("no".to_owned()),
            WatchError::Thread(std::io::ErrorKind::OutOfMemory.into()),
            WatchError::NoStreamingLists,
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
