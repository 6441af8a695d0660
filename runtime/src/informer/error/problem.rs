use std::{collections::VecDeque, fmt, sync::Arc};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::WatchError;
use crate::{client::error::Undecodable, informer::panics::PanicMessage};

/// An error that an informer reported without stopping.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// An object could not be decoded. The store retains its last good state, if there was one.
    Undecodable(Arc<Undecodable>),
    /// A list or a watch failed.
    #[non_exhaustive]
    Watch {
        /// The namespace of the watch; `None` for all namespaces and for cluster-scoped kinds.
        namespace: Option<Arc<str>>,
        /// The error.
        error: Arc<WatchError>,
    },
    /// A user closure panicked on an object. The store contains the object without the result of the closure.
    #[non_exhaustive]
    Panicked {
        /// The closure, such as ``the index `image` ``.
        closure: String,
        /// The namespace of the object; `None` for cluster-scoped kinds.
        namespace: Option<String>,
        /// The name of the object.
        name: String,
        /// The panic message, which is redacted unless you request it.
        message: PanicMessage,
    },
}

/// A stream of problems, from [`Informer::problems`](crate::informer::Informer::problems).
pub struct Problems {
    /// The problems that existed at subscription.
    current: VecDeque<Problem>,
    problems: Receiver<Problem>,
    dropped: u64,
}

impl Problems {
    pub(in crate::informer) fn new(problems: Receiver<Problem>) -> Self {
        Self { current: VecDeque::new(), problems, dropped: 0 }
    }

    /// Prepends the problems that exist now.
    pub(in crate::informer) fn with_current(self, current: impl IntoIterator<Item = Problem>) -> Self {
        Self { current: current.into_iter().collect(), ..self }
    }

    /// Returns the next problem; `None` once the informer has ended.
    pub async fn next(&mut self) -> Option<Problem> {
        if let Some(problem) = self.current.pop_front() {
            return Some(problem);
        }
        loop {
            match self.problems.recv().await {
                Ok(problem) => return Some(problem),
                Err(RecvError::Lagged(dropped)) => self.dropped += dropped,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Returns the number of problems that were dropped because the receiver lagged behind.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problems").field("missed", &self.dropped).finish_non_exhaustive()
    }
}
