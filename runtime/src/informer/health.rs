//! What is known of how well an informer works.

mod gauge;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use super::error::WatchError;

pub(super) use gauge::Gauge;

/// How well an informer works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Health {
    /// How each watch is: one for all namespaces, or one for each that was chosen.
    pub watches: Vec<WatchHealth>,
    /// Where the informer runs.
    pub executor: Executor,
    /// How many objects are kept.
    pub objects: usize,
    /// How many states of objects did not fit the type, since the informer began. A state counts once, however often it is
    /// read.
    pub undecodable: u64,
    /// How many objects do not fit the type now: those of [`Informer::unreadable`](super::Informer::unreadable).
    pub unreadable: usize,
    /// How often closures of the program panicked.
    pub panics: u64,
}

impl Health {
    /// Whether nothing is known to be wrong: it runs, all watches have read all objects, each is connected, or was until the
    /// API server ended it in time, and every object fits the type. For probes use [`is_fresh`](Self::is_fresh), which one odd object does not
    /// turn false, and which notices what is not known yet, such as a dead connection.
    pub fn is_good(&self) -> bool {
        let mut watches = self.watches.iter();
        let watches_are_good = watches.all(WatchHealth::is_good);
        self.executor != Executor::Stopped && self.unreadable == 0 && watches_are_good
    }

    /// Whether the store shows everything that happened up to `max` ago. This is what a readiness or liveness probe wants: it
    /// is false as long as a watch has not read all objects, while one lags behind or its connection is dead, and once the
    /// informer has stopped.
    ///
    /// Watches are checked [every minute](super::Timeouts::check), and learn of what is newest at the latest by a bookmark, which API servers
    /// send every minute: a `max` of less than three minutes is sometimes missed though all is well.
    ///
    /// Where nothing changes, a bookmark shows the newest state only if the API server's cache has come that far. Those with
    /// [consistent reads from cache](https://www.kubernetes.dev/resources/keps/2340/), which are on since Kubernetes 1.31,
    /// ask etcd how far that is. Older ones wait until etcd tells it by itself, by default every 10 minutes
    /// (`--experimental-watch-progress-notify-interval`): there `max` has to be longer than that and three minutes.
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

    /// How old what the store shows can be at most, of the watch that lags behind most. `None` as long as a watch has not told
    /// everything once.
    ///
    /// It is the time since the API server was last asked for its newest state, and the store then came to show that
    /// state: by a list, or by a [check](super::Timeouts::check) of the watch. Events and bookmarks alone say nothing, since nobody knows how
    /// long they were under way. How far the API server itself is behind its database is not known.
    pub fn staleness(&self) -> Option<Duration> {
        let staleness = self.watches.iter().map(|watch| watch.staleness);
        staleness.max_by_key(|staleness| staleness.unwrap_or(Duration::MAX))?
    }
}

/// On which thread an informer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Executor {
    /// On the few threads that all informers of the client share, with connections that only they use.
    SharedThreads,
    /// On the threads that all informers of the client share, with the client's connections: its configuration is not known, or
    /// no other connections can be made.
    SharedThreadsOfClient,
    /// On the runtime on which it was started, since the configuration of its client is not known.
    CallersRuntime,
    /// Nowhere any more: it was stopped.
    Stopped,
}

/// How well a watch works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WatchHealth {
    /// The namespace; `None` for all, and for kinds of the cluster.
    pub namespace: Option<Arc<str>>,
    /// What it does.
    pub state: WatchState,
    /// Whether all objects that there were have been read once.
    pub synced: bool,
    /// When the API server told anything last, bookmarks and the end of a list included.
    pub last_heard: Option<SystemTime>,
    /// When it told of an object last.
    pub last_event: Option<SystemTime>,
    /// Up to where the watch has told what happened.
    pub resource_version: Option<String>,
    /// How old what the store shows of this namespace can be at most.
    pub staleness: Option<Duration>,
    /// How often it was begun to read all objects, the first time included.
    pub lists: u64,
    /// How often they were read again, because the API server had forgotten where the watch was to go on.
    pub expired: u64,
    /// How often they were read again, because the watch contradicted itself.
    pub desyncs: u64,
    /// How often they were read in pages, because the API server does not serve streaming lists, or one stood still.
    pub fallbacks: u64,
    /// How often the watch went on where it was after it had ended.
    pub resumed: u64,
    /// How often a request failed, or an answer or a watch broke.
    pub failures: u64,
}

impl WatchHealth {
    fn is_good(&self) -> bool {
        let goes_on = matches!(
            self.state,
            WatchState::Watching { .. } | WatchState::Disconnected { error: None, .. }
        );
        self.synced && goes_on
    }
}

/// What a watch does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WatchState {
    /// It has not been connected yet.
    Starting,
    /// It reads all objects.
    Listing,
    /// It is connected and told what happens.
    Watching {
        /// Since when.
        since: SystemTime,
    },
    /// It is not connected, and tries again.
    Disconnected {
        /// Since when.
        since: SystemTime,
        /// Why; `None` if the API server just ended the watch.
        error: Option<Arc<WatchError>>,
    },
}

#[cfg(test)]
mod tests;
