use std::{fmt, sync::Mutex};

use tokio::time::Instant;

use crate::faults::FaultKind;

/// A request and its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The namespace; empty for all namespaces.
    pub namespace: String,
    /// The kind of the request.
    pub request_kind: RequestKind,
    /// When the request was received.
    pub began: Instant,
    /// The status of the response; 0 if none was started.
    pub status: u16,
    /// The version of the objects, for lists and streaming lists.
    pub version: Option<u64>,
    /// For a streaming list: whether all initial events were sent.
    pub sent_initial_events: bool,
    /// For a watch: whether there may have been no object at the version at which it starts.
    pub may_be_empty: bool,
    /// The number of complete lines that were sent.
    pub lines: usize,
    /// The number of those lines that are events and not bookmarks.
    pub events: usize,
    /// The fault that was injected.
    pub injected_fault: Option<FaultKind>,
    /// Whether the response was 410 because of compaction.
    pub expired: bool,
    /// Whether the complete response was sent.
    pub complete: bool,
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}: {}", self.namespace, self.request_kind, self.status)?;
        if let Some(version) = self.version {
            write!(f, ", objects of {version}")?;
        }
        if let Some(kind) = self.injected_fault {
            write!(f, ", {kind}")?;
        }
        let expired = if self.expired { ", expired" } else { "" };
        let complete = if self.complete { "" } else { ", incomplete" };
        write!(f, "{expired}{complete}")
    }
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// The first page of a list.
    List,
    /// A list with a limit of 1, for its resourceVersion.
    Check,
    /// A further page of a list.
    Page,
    /// A watch after a version.
    Watch {
        /// The version.
        after: u64,
    },
    /// A streaming list: a watch with initial events.
    Stream,
}

/// All exchanges, in the order of their requests.
#[derive(Default)]
pub struct Journal(Mutex<Vec<Exchange>>);

impl Journal {
    /// The exchanges so far.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.0.lock().expect("recording never panics").clone()
    }

    pub(crate) fn begin(&self, namespace: String, request_kind: RequestKind) -> usize {
        let mut exchanges = self.0.lock().expect("recording never panics");
        exchanges.push(Exchange {
            namespace,
            request_kind,
            began: Instant::now(),
            status: 0,
            version: None,
            sent_initial_events: false,
            may_be_empty: false,
            lines: 0,
            events: 0,
            injected_fault: None,
            expired: false,
            complete: false,
        });
        exchanges.len() - 1
    }

    pub(crate) fn update(&self, exchange: usize, change: impl FnOnce(&mut Exchange)) {
        change(&mut self.0.lock().expect("recording never panics")[exchange]);
    }
}
