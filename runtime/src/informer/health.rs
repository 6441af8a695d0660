//! What is known of how well an informer works.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use tokio::time::Instant;

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
    /// Whether nothing is known to be wrong: it runs, all watches have read all objects, each is connected, or was until the
    /// API server ended it in time, and every object fits the type. For probes use [`is_fresh`](Self::is_fresh), which one odd object does not
    /// turn false, and which notices what is not known yet, such as a dead connection.
    pub fn is_good(&self) -> bool {
        let mut watches = self.watches.iter();
        let watches_are_good = watches.all(WatchHealth::is_good);
        self.runs_on != RunsOn::Stopped && self.unreadable == 0 && watches_are_good
    }

    /// Whether the store shows everything that happened up to `max` ago. This is what a readiness or liveness probe wants: it
    /// is false as long as a watch has not read all objects, while one lags behind or its connection is dead, and once the
    /// informer has stopped.
    ///
    /// Watches are checked [every minute](super::Timings::check), and learn of what is newest at the latest by a bookmark, which API servers
    /// send every minute: a `max` of less than three minutes is sometimes missed though all is well.
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
        self.runs_on != RunsOn::Stopped && self.watches.iter().all(is_fresh)
    }

    /// How old what the store shows can be at most, of the watch that lags behind most. `None` as long as a watch has not told
    /// everything once.
    ///
    /// It is the time since the API server was last asked for its newest state, and the store then came to show that
    /// state: by a list, or by a [check](super::Timings::check) of the watch. Events and bookmarks alone say nothing, since nobody knows how
    /// long they were under way. How far the API server itself is behind its database is not known.
    pub fn staleness(&self) -> Option<Duration> {
        let staleness = self.watches.iter().map(|watch| watch.staleness);
        staleness.max_by_key(|staleness| staleness.unwrap_or(Duration::MAX))?
    }
}

/// On which thread an informer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunsOn {
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

/// The health of one watch, as it changes.
pub(super) struct Gauge(Mutex<Reading>);

pub(super) struct Reading {
    health: WatchHealth,
    heard: Option<Instant>,
    /// The store shows all that had happened then.
    fresh: Option<Instant>,
    /// The newest resourceVersions at some times, which the watch has not reached yet.
    awaited: VecDeque<(Instant, u64)>,
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
            self.confirm();
        }
    }

    fn position(&self) -> Option<u64> {
        self.health.resource_version.as_deref()?.parse().ok()
    }

    /// The watch has come as far as was newest at some time.
    fn confirm(&mut self) {
        let Some(position) = self.position() else {
            return;
        };
        while let Some((at, _)) = self.awaited.pop_front_if(|(_, newest)| *newest <= position) {
            self.is_fresh(at);
        }
    }

    fn is_fresh(&mut self, at: Instant) {
        self.fresh = self.fresh.max(Some(at));
    }
}

/// So many checks are remembered whose state a watch has not reached.
const AWAITED: usize = 16;

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
            awaited: VecDeque::new(),
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
        self.lock().position()
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
        if events || !version.is_empty() {
            reading.heard = Some(Instant::now());
        }
        reading.reach(version);
    }

    /// A list that was requested then is complete.
    pub(super) fn synced(&self, version: &str, requested: Instant) {
        let mut reading = self.lock();
        reading.awaited.clear();
        reading.reach(version);
        reading.is_fresh(requested);
        reading.heard = Some(Instant::now());
        reading.health.synced = true;
        reading.failed = None;
    }

    /// A request that was sent then found this to be the newest resourceVersion.
    pub(super) fn checked(&self, sent: Instant, version: &str) {
        let mut reading = self.lock();
        if reading.health.resource_version.as_deref() == Some(version) {
            return reading.is_fresh(sent);
        }
        let Ok(newest) = version.parse() else {
            return;
        };
        // One that is newer than this was never true, or time went back since.
        while reading
            .awaited
            .pop_back_if(|(_, other)| *other > newest)
            .is_some()
        {}
        if reading.awaited.len() < AWAITED {
            reading.awaited.push_back((sent, newest));
        }
        reading.confirm();
    }

    pub(super) fn falls_back(&self) {
        self.lock().health.fallbacks += 1;
    }

    pub(super) fn ended(&self, error: Option<Arc<WatchError>>) {
        let mut reading = self.lock();
        match error.as_deref() {
            None => {}
            Some(WatchError::OutOfOrder { .. }) => reading.health.desyncs += 1,
            Some(error) if error.is_of_another_time() => reading.health.desyncs += 1,
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

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn staleness(gauge: &Gauge) -> u64 {
        gauge.read().staleness.unwrap().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_is_as_old_as_its_request() {
        let gauge = Gauge::new(None);
        assert_eq!(gauge.read().staleness, None);
        let requested = Instant::now();
        advance(7 * SECOND).await;
        gauge.synced("5", requested);
        assert_eq!(staleness(&gauge), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn events_are_as_old_as_they_may_be() {
        let gauge = Gauge::new(None);
        gauge.synced("5", Instant::now());
        advance(10 * SECOND).await;
        gauge.told(true, "8");
        assert_eq!(
            staleness(&gauge),
            10,
            "nobody knows how long it was under way"
        );
        gauge.checked(Instant::now(), "9");
        advance(SECOND).await;
        gauge.checked(Instant::now(), "12");
        gauge.told(true, "8");
        assert_eq!(staleness(&gauge), 11);
        advance(SECOND).await;
        gauge.told(false, "11");
        assert_eq!(staleness(&gauge), 2);
        gauge.told(true, "12");
        assert_eq!(staleness(&gauge), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_check_confirms_what_a_watch_has_reached() {
        let gauge = Gauge::new(None);
        gauge.synced("5", Instant::now());
        advance(10 * SECOND).await;
        gauge.checked(Instant::now(), "5");
        assert_eq!(staleness(&gauge), 0);
        gauge.told(true, "odd");
        advance(10 * SECOND).await;
        gauge.checked(Instant::now(), "even");
        assert_eq!(staleness(&gauge), 10);
        gauge.checked(Instant::now(), "odd");
        assert_eq!(staleness(&gauge), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_odd_check_spoils_no_other() {
        let gauge = Gauge::new(None);
        gauge.synced("5", Instant::now());
        gauge.checked(Instant::now(), &u64::MAX.to_string());
        advance(SECOND).await;
        gauge.checked(Instant::now(), "9");
        gauge.told(true, "9");
        assert_eq!(staleness(&gauge), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_never_catches_up_costs_no_memory() {
        let gauge = Gauge::new(None);
        gauge.synced("5", Instant::now());
        for newest in 0..1_000 {
            advance(SECOND).await;
            gauge.checked(Instant::now(), &format!("1{newest}"));
        }
        assert_eq!(gauge.lock().awaited.len(), AWAITED);
        assert_eq!(staleness(&gauge), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_fails_while_any_watch_lags_behind() {
        let gauges = [Gauge::new(Some("a")), Gauge::new(Some("b"))];
        let health = || Health {
            watches: gauges.iter().map(Gauge::read).collect(),
            runs_on: RunsOn::SharedThreads,
            objects: 0,
            unreadable: 0,
            undecodable: 0,
            panics: 0,
        };
        gauges[0].synced("5", Instant::now());
        assert!(!health().is_fresh(Duration::MAX), "one has told nothing");
        gauges[1].synced("5", Instant::now());
        assert!(health().is_fresh(SECOND));
        advance(2 * SECOND).await;
        gauges[0].checked(Instant::now(), "5");
        assert!(!health().is_fresh(SECOND));
        assert!(health().is_fresh(2 * SECOND));
        let stopped = Health {
            runs_on: RunsOn::Stopped,
            ..health()
        };
        assert!(!stopped.is_fresh(2 * SECOND));
    }
}
