//! The health of an informer.

mod gauge;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio::time::Instant;

use super::error::WatchError;

pub(super) use gauge::Gauge;

/// The health of an informer, from [`Informer::health`](super::Informer::health).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Health {
    /// The health of each watch: one for all namespaces, or one for each selected namespace.
    pub watches: Vec<WatchHealth>,
    /// The executor of the informer.
    pub executor: Executor,
    /// The number of objects in the store.
    pub objects: usize,
    /// The number of object states that could not be decoded since the informer started. A state counts once, no matter
    /// how often it is received.
    pub undecodable_states: u64,
    /// The number of objects that cannot be decoded now: see [`Informer::undecodable_objects`](super::Informer::undecodable_objects).
    pub undecodable_objects: usize,
    /// The number of panics of user closures.
    pub panics: u64,
}

impl Health {
    /// Whether no problem is known.
    ///
    /// This is true if the informer runs, all watches have completed their initial lists, each watch is connected or
    /// was ended by the API server at the requested timeout, and every object can be decoded.
    ///
    /// For probes, use [`is_fresh`](Self::is_fresh): a single object that cannot be decoded does not make it false, and
    /// it also detects problems that are not reported yet, such as a dead connection.
    pub fn is_good(&self) -> bool {
        let mut watches = self.watches.iter();
        let watches_are_good = watches.all(WatchHealth::is_good);
        self.executor != Executor::Stopped && self.undecodable_objects == 0 && watches_are_good
    }

    /// Whether the store contains all changes up to `max` ago. Suitable for readiness and liveness probes.
    ///
    /// It is false while a watch has not completed its initial list, while a watch lags behind or its connection is
    /// dead, and after the informer has stopped.
    ///
    /// Watches are checked [every minute](super::Timeouts::check), and they reach the newest resourceVersion at the
    /// latest with a bookmark, which API servers send every minute. A `max` of less than three minutes is sometimes
    /// exceeded by a healthy informer.
    ///
    /// If nothing changes, a bookmark has the newest resourceVersion only if the watch cache of the API server has
    /// reached it. API servers with [consistent reads from cache](https://www.kubernetes.dev/resources/keps/2340/),
    /// which are enabled by default since Kubernetes 1.31, request the progress from etcd. Older ones wait for the
    /// progress notifications of etcd, which by default arrive every 10 minutes
    /// (`--experimental-watch-progress-notify-interval`). With those, `max` must be longer than that interval plus
    /// three minutes.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use std::time::Duration;
    /// fn is_ready(pods: &crdkit::informer::Informer<Pod>) -> bool {
    ///     pods.health().is_fresh(Duration::from_secs(300))
    /// }
    /// ```
    pub fn is_fresh(&self, max: Duration) -> bool {
        let is_fresh = |watch: &WatchHealth| watch.staleness.is_some_and(|stale| stale <= max);
        self.executor != Executor::Stopped && self.watches.iter().all(is_fresh)
    }

    /// Returns the maximum age of the data in the store, for the watch that lags behind most. `None` until all watches
    /// have completed their initial lists.
    ///
    /// This is the time since the last request for the newest state whose result the store has reached: a list, or a
    /// [check](super::Timeouts::check) of the watch. Events and bookmarks alone do not count, because their time in
    /// transit is unknown. The value does not include the lag of the API server behind its database.
    pub fn staleness(&self) -> Option<Duration> {
        let staleness = self.watches.iter().map(|watch| watch.staleness);
        staleness.max_by_key(|staleness| staleness.unwrap_or(Duration::MAX))?
    }
}

/// Where an informer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Executor {
    /// On threads that all informers of the client share, with connections that only they use.
    SharedThreads,
    /// On threads that all informers of the client share, with the connections of the client, because its configuration
    /// is unknown or no other connections can be opened.
    SharedThreadsOfClient,
    /// On the tokio runtime on which it was started, because the configuration of its client is unknown.
    CallersRuntime,
    /// Nowhere: the informer is stopped.
    Stopped,
}

/// The health of a watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WatchHealth {
    /// The namespace; `None` for all namespaces and for cluster-scoped kinds.
    pub namespace: Option<Arc<str>>,
    /// The state of the watch.
    pub state: WatchState,
    /// Whether the initial list is complete.
    pub synced: bool,
    /// When data last arrived from the API server, including bookmarks and the end of a list.
    pub last_received: Option<SystemTime>,
    /// When the last event of an object arrived.
    pub last_event: Option<SystemTime>,
    /// The resourceVersion that the watch has reached.
    pub resource_version: Option<String>,
    /// The maximum age of the data of this namespace in the store.
    pub staleness: Option<Duration>,
    /// The number of lists started, including the initial list.
    pub lists: u64,
    /// The number of relists because the resourceVersion of the watch had expired, or the API server rejected it as
    /// invalid.
    pub expired: u64,
    /// The number of relists because the watch was inconsistent, or an event exceeds the limit of events.
    pub desyncs: u64,
    /// The number of relists because an interrupted watch cannot be resumed: the last list had no objects that could prove
    /// that another watch continues it, or the API server returned no resourceVersion.
    pub unresumable: u64,
    /// The number of fallbacks from a streaming list to pages, because the API server does not support streaming lists
    /// or one stalled.
    pub fallbacks: u64,
    /// The number of times the watch was resumed at its last resourceVersion.
    pub resumed: u64,
    /// The number of failed requests, and of responses and watches that broke off, unless they count as `expired` or
    /// `desyncs`.
    pub failures: u64,
    /// The last error, until the watch resumes or a list is complete. It stays while the next request runs.
    pub last_error: Option<Arc<WatchError>>,
    /// Whether its namespace was added while the informer ran.
    pub(crate) is_added: bool,
    pub(crate) started: Instant,
}

impl WatchHealth {
    fn is_good(&self) -> bool {
        let goes_on = matches!(self.state, WatchState::Watching { .. } | WatchState::Disconnected { error: None, .. });
        self.synced && goes_on
    }
}

/// The state of a watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WatchState {
    /// The watch has not been connected yet.
    Starting,
    /// The watch is listing all objects.
    Listing,
    /// The watch is connected and receives events.
    Watching {
        /// Since when.
        since: SystemTime,
    },
    /// The watch is not connected, and will retry.
    Disconnected {
        /// Since when.
        since: SystemTime,
        /// The error; `None` if the API server ended the watch regularly.
        error: Option<Arc<WatchError>>,
    },
}

#[cfg(test)]
mod tests;
