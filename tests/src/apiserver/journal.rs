use std::{fmt, sync::Mutex};

use tokio::time::Instant;

use crate::faults::Kind;

/// A request and what became of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The namespace; empty for all.
    pub place: String,
    /// What was asked.
    pub ask: Ask,
    /// When.
    pub began: Instant,
    /// The status of the answer; 0 if none was begun.
    pub status: u16,
    /// The version of the objects, for lists and watches that tell them first.
    pub version: Option<u64>,
    /// For a watch that tells the objects first: whether it has told them all.
    pub told_all: bool,
    /// For a watch: whether there may have been no object at the version after which it begins, or when it told all.
    pub may_be_empty: bool,
    /// How many lines were sent to their ends.
    pub lines: usize,
    /// How many of them were events, not bookmarks.
    pub events: usize,
    /// The fault that struck.
    pub struck: Option<Kind>,
    /// Whether an answer of 410 is due to compaction.
    pub expired: bool,
    /// Whether the whole answer was sent.
    pub complete: bool,
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}: {}", self.place, self.ask, self.status)?;
        if let Some(version) = self.version {
            write!(f, ", objects of {version}")?;
        }
        if let Some(kind) = self.struck {
            write!(f, ", {kind}")?;
        }
        let expired = if self.expired { ", expired" } else { "" };
        let complete = if self.complete { "" } else { ", incomplete" };
        write!(f, "{expired}{complete}")
    }
}

/// What a client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A list from its beginning.
    List,
    /// A list of one object at most, for its version.
    Check,
    /// A further page of a list.
    Page,
    /// A watch after a version.
    Watch {
        /// The version.
        after: u64,
    },
    /// A watch that tells all objects first.
    Stream,
}

/// All exchanges, in the order in which they began.
#[derive(Default)]
pub struct Journal(Mutex<Vec<Exchange>>);

impl Journal {
    /// What was asked so far.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.0.lock().expect("noting never panics").clone()
    }

    pub(crate) fn begin(&self, place: String, ask: Ask) -> usize {
        let mut exchanges = self.0.lock().expect("noting never panics");
        exchanges.push(Exchange {
            place,
            ask,
            began: Instant::now(),
            status: 0,
            version: None,
            told_all: false,
            may_be_empty: false,
            lines: 0,
            events: 0,
            struck: None,
            expired: false,
            complete: false,
        });
        exchanges.len() - 1
    }

    pub(crate) fn note(&self, exchange: usize, what: impl FnOnce(&mut Exchange)) {
        what(&mut self.0.lock().expect("noting never panics")[exchange]);
    }
}
