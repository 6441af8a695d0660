//! What is known of how well an informer works.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use super::trouble::WatchError;

/// How well an informer works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Health {
    /// How each watch is: one for all namespaces, or one for each that was chosen.
    pub watches: Vec<WatchHealth>,
    /// Where the informer runs.
    pub runs_on: RunsOn,
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
    /// Whether it runs, all watches have told what there was when they began, and each is connected, or was until the API
    /// server ended it in time.
    pub fn is_good(&self) -> bool {
        let mut watches = self.watches.iter();
        self.runs_on != RunsOn::Stopped && watches.all(WatchHealth::is_good)
    }

    /// How old what the store shows can be: as long ago as the most silent watch told anything. `None` as long as a watch has
    /// not told everything once. What waits in the network counts when it is read.
    pub fn staleness(&self) -> Option<Duration> {
        let staleness = self.watches.iter().map(|watch| watch.staleness);
        staleness.max_by_key(|staleness| staleness.unwrap_or(Duration::MAX))?
    }
}

/// On which thread an informer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunsOn {
    /// On a thread of its own with a connection of its own.
    OwnThread,
    /// On a thread of its own, with the connection of a client whose configuration is not known.
    OwnThreadSharedConnection,
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
    /// How old what the store shows of this namespace can be.
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

/// The health of one watch, as it changes.
pub(super) struct Gauge(Mutex<Reading>);

pub(super) struct Reading {
    health: WatchHealth,
    heard: Option<Instant>,
    /// When the store showed what there was.
    fresh: Option<Instant>,
    /// The last reason that nobody but people can remove.
    refused: Option<Arc<WatchError>>,
    /// What went wrong last, as long as the watch has not gone on since.
    failed: Option<Arc<WatchError>>,
}

impl Reading {
    fn reach(&mut self, version: &str) {
        if !version.is_empty() {
            let reached = self.health.resource_version.get_or_insert_default();
            reached.clear();
            reached.push_str(version);
        }
    }
}

impl Gauge {
    pub(super) fn new(namespace: Option<&str>) -> Self {
        let health = WatchHealth {
            namespace: namespace.map(Arc::from),
            state: WatchState::Starting,
            synced: false,
            last_heard: None,
            last_event: None,
            resource_version: None,
            staleness: None,
            lists: 0,
            expired: 0,
            desyncs: 0,
            fallbacks: 0,
            resumed: 0,
            failures: 0,
        };
        Self(Mutex::new(Reading {
            health,
            heard: None,
            fresh: None,
            refused: None,
            failed: None,
        }))
    }

    pub(super) fn namespace(&self) -> Option<Arc<str>> {
        self.lock().health.namespace.clone()
    }

    pub(super) fn read(&self) -> WatchHealth {
        let reading = self.lock();
        let mut health = reading.health.clone();
        health.staleness = reading.fresh.map(|fresh| fresh.elapsed());
        health.last_heard = reading.heard.and_then(|heard| {
            let elapsed = heard.elapsed();
            SystemTime::now().checked_sub(elapsed)
        });
        health
    }

    /// Whether the watch has told everything, or why it cannot.
    pub(super) fn outcome(&self) -> Option<Result<(), Arc<WatchError>>> {
        let reading = self.lock();
        match (&reading.refused, reading.health.synced) {
            (Some(refused), false) => Some(Err(refused.clone())),
            (_, true) => Some(Ok(())),
            (None, false) => None,
        }
    }

    pub(super) fn is_synced(&self) -> bool {
        self.lock().health.synced
    }

    /// What went wrong last, as long as the watch has not gone on since.
    pub(super) fn failed(&self) -> Option<Arc<WatchError>> {
        self.lock().failed.clone()
    }

    /// Up to where the watch has told what happened, where that is a number.
    pub(super) fn position(&self) -> Option<u64> {
        self.lock().health.resource_version.as_deref()?.parse().ok()
    }

    pub(super) fn listing(&self) {
        let mut reading = self.lock();
        reading.health.state = WatchState::Listing;
        reading.health.lists += 1;
    }

    /// The API server answers what it may have refused before.
    pub(super) fn answered(&self) {
        self.lock().refused = None;
    }

    pub(super) fn connected(&self, resumes: bool) {
        let mut reading = self.lock();
        reading.health.resumed += u64::from(resumes);
        let since = SystemTime::now();
        reading.health.state = WatchState::Watching { since };
        reading.failed = None;
    }

    /// Events were told, or up to a resourceVersion nothing else has happened.
    pub(super) fn told(&self, events: bool, version: &str) {
        let mut reading = self.lock();
        if events {
            reading.health.last_event = Some(SystemTime::now());
        }
        if !version.is_empty() {
            reading.fresh = Some(Instant::now());
        }
        if events || !version.is_empty() {
            reading.heard = Some(Instant::now());
        }
        reading.reach(version);
    }

    pub(super) fn synced(&self, version: &str) {
        let mut reading = self.lock();
        reading.reach(version);
        reading.fresh = Some(Instant::now());
        reading.heard = reading.fresh;
        reading.health.synced = true;
        reading.failed = None;
    }

    pub(super) fn falls_back(&self) {
        self.lock().health.fallbacks += 1;
    }

    pub(super) fn ended(&self, error: Option<Arc<WatchError>>) {
        let mut reading = self.lock();
        match error.as_deref() {
            None => {}
            Some(WatchError::OutOfOrder { .. }) => reading.health.desyncs += 1,
            Some(WatchError::NoStreamingLists) => {}
            Some(WatchError::Request(error)) if error.is_expired() => reading.health.expired += 1,
            Some(_) => reading.health.failures += 1,
        }
        if let Some(error) = error.as_ref().filter(|error| error.is_refusal()) {
            reading.refused = Some(error.clone());
        }
        let is_failure =
            |error: &&Arc<WatchError>| !matches!(***error, WatchError::NoStreamingLists);
        if let Some(error) = error.as_ref().filter(is_failure) {
            reading.failed = Some(error.clone());
        }
        let since = match reading.health.state {
            WatchState::Disconnected { since, .. } => since,
            _ => SystemTime::now(),
        };
        reading.health.state = WatchState::Disconnected { since, error };
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
