use std::{collections::VecDeque, fmt, sync::Arc};

use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::WatchError;
use crate::{client::error::Undecodable, informer::panics::PanicMessage};

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

/// What goes wrong: from [`Informer::problems`](crate::informer::Informer::problems).
pub struct Problems {
    /// What stood when this began.
    standing: VecDeque<Problem>,
    problems: Receiver<Problem>,
    missed: u64,
}

impl Problems {
    pub(in crate::informer) fn new(problems: Receiver<Problem>) -> Self {
        Self {
            standing: VecDeque::new(),
            problems,
            missed: 0,
        }
    }

    /// With what stands now, which is told first.
    pub(in crate::informer) fn after(self, standing: impl IntoIterator<Item = Problem>) -> Self {
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
