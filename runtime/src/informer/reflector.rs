//! Lists and watches the objects of one namespace, or of all, and applies them to a cache.

mod batch;
mod body;
mod checks;
mod end_reason;
mod event_decoder;
mod history_anchor;
mod isolation;
mod pages;
mod parallel;
mod read_ahead;
mod requested;
mod reread;
mod shards;
mod state;
mod watch;
mod watch_request;

use std::{pin::pin, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};

use self::{
    batch::DeltaBatch,
    end_reason::{EndReason, classify_error},
    event_decoder::{BatchDecoder, BatchSource},
    history_anchor::Anchor,
    requested::Requested,
    shards::changed,
    state::{NextRequest, ReflectorState},
    watch_request::Phase,
};
use super::{
    error::WatchError,
    health::Gauge,
    sharding::{ShardFilter, Sharding},
    shared::InformerState,
    timeouts::Timeouts,
};
use crate::client::{
    backoff_formula::{jittered, random},
    endpoint::RequestTarget,
    request::Query,
    watch::LONGEST,
};

pub(super) use end_reason::RelistReason;
pub(super) use event_decoder::{EventDecoder, ObjectDecoder, Transform, object_decoder};

/// Returns the target of requests for the objects of a namespace, or of all.
pub(super) type TargetOf = Arc<dyn Fn(Option<&str>) -> RequestTarget + Send + Sync>;

/// The settings and shared state of a reflector.
pub(super) struct Setup {
    pub(super) endpoint: RequestTarget,
    pub(super) target_of: TargetOf,
    pub(super) selection: Query,
    pub(super) shared: Arc<InformerState>,
    pub(super) gauge: Arc<Gauge>,
    pub(super) timeouts: Timeouts,
    pub(super) decoder: Arc<EventDecoder>,
    /// The shards that the process holds; `None` for all objects.
    pub(super) sharding: Option<Sharding>,
}

pub(super) struct Reflector {
    setup: Arc<Setup>,
    state: ReflectorState,
    batch: DeltaBatch,
    /// Whether the next watch resumes an earlier one.
    resumes: bool,
    /// Whether the API server has sent a bookmark.
    sends_bookmarks: bool,
    /// The resourceVersion of the events that are not committed yet; empty if there are none.
    uncommitted_version: String,
    /// The number of events since a check reported a rollback of the history.
    events_since_rollback: Option<usize>,
    /// The number of consecutive reported rollbacks after which a relist found no changes.
    false_alarms: u32,
    /// The shards whose objects the last list selected.
    shards: Option<ShardFilter>,
}

/// Maximum number of consecutive false alarms.
///
/// After this number of relists without changes, the resourceVersions of lists and events are not comparable: the kind
/// is served by an API server other than Kubernetes' own.
const MAX_FALSE_ALARMS: u32 = 3;

/// The duration of a watch that is to end soon. API servers send a bookmark two seconds before the end of a watch (`nextBookmarkTime`
/// in the apiserver's `cacher`), if the watch is longer than that.
const CATCH_UP: Duration = Duration::from_secs(3);

/// How a step ended, and its error.
type StepResult = (EndReason, Option<WatchError>);

impl Reflector {
    pub(super) fn new(setup: Setup) -> Self {
        Self {
            state: ReflectorState::new(setup.timeouts),
            batch: DeltaBatch::new(setup.shared.clone()),
            setup: Arc::new(setup),
            resumes: false,
            sends_bookmarks: false,
            uncommitted_version: String::new(),
            events_since_rollback: None,
            false_alarms: 0,
            shards: None,
        }
    }

    /// Runs until it is dropped.
    pub(super) async fn run(mut self) {
        let mut sharding = self.setup.sharding.clone();
        let mut rereading = pin!(self.setup.clone().reread_undecodable());
        let setup = self.setup.clone();
        loop {
            if let Some(sharding) = &mut sharding {
                self.select_shards(sharding).await;
            }
            let is_behind = self.setup.is_behind();
            tokio::select! {
                // A step can be cancelled at any await, because a list starts from the beginning, and events are committed
                // in the same poll in which they are read.
                biased;
                () = changed(sharding.as_mut()) => {}
                () = setup.outdated(is_behind) => {}
                () = self.run_step() => {}
                () = &mut rereading => unreachable!("it runs until it is dropped"),
            }
        }
    }

    async fn run_step(&mut self) {
        let (end, error) = match self.state.next_step() {
            NextRequest::List { paged } => self.list(paged).await,
            NextRequest::Stream => self.stream().await,
            NextRequest::Watch { after, overlap } if self.setup.is_behind() => self.catch_up(&after, overlap).await,
            NextRequest::Watch { after, overlap } => self.watch(&after, overlap, self.watch_timeout()).await,
        };
        let pause = self.state.next_delay(end, random());
        self.on_end(end, error);
        sleep(pause).await;
    }

    fn on_end(&mut self, end: EndReason, error: Option<WatchError>) {
        if matches!(end, EndReason::Listed | EndReason::CaughtUp) {
            return;
        }
        if matches!(end, EndReason::Unsupported | EndReason::Stalled) {
            self.gauge().count_fallback();
        }
        if error.as_ref().is_some_and(WatchError::is_rollback) {
            self.batch.reset_versions();
        }
        if let Some(WatchError::WentBack { .. }) = error {
            self.events_since_rollback = Some(0);
        }
        let error = error.map(Arc::new);
        if let Some(error) = &error {
            self.report(error.clone());
        }
        self.gauge().record_end(error, self.state.relist_reason());
        self.setup.shared.notify_waiters();
    }

    fn report(&self, error: Arc<WatchError>) {
        let namespace = self.setup.endpoint.namespace();
        self.setup.shared.reporter.report_watch_error(namespace, error);
    }

    async fn list(&mut self, paged: bool) -> StepResult {
        self.begin_list();
        let sent = Instant::now();
        match self.read_pages(paged).await {
            Ok(version) => {
                self.complete_list(&version, sent);
                self.resumes = false;
                (EndReason::Listed, None)
            }
            Err(error) => match classify_error(&error) {
                EndReason::Expired => (EndReason::PageExpired, Some(error)),
                end => (end, Some(error)),
            },
        }
    }

    async fn stream(&mut self) -> StepResult {
        self.begin_list();
        let query = Query::default().with("sendInitialEvents", "true").with("resourceVersionMatch", "NotOlderThan");
        self.run_watch(query, Phase::Listing, None, self.watch_timeout()).await
    }

    async fn watch(&mut self, after: &str, overlap: Option<Anchor>, timeout: Duration) -> StepResult {
        self.batch.begin_watch(after);
        let start = overlap.map_or_else(|| after.to_owned(), |anchor| anchor.version_before());
        let query = Query::default().with("resourceVersion", start);
        self.run_watch(query, Phase::Watching, overlap, timeout).await
    }

    /// Watches up to the newest resourceVersion of the API server, as of now.
    ///
    /// Nothing may have changed since the last event, and a bookmark arrives only once a minute. But a watch has one before its
    /// end, so this one is short. If that did not help, for example because an API server sends no bookmarks, a list follows.
    async fn catch_up(&mut self, after: &str, overlap: Option<Anchor>) -> StepResult {
        match self.setup.check().await {
            Ok(check) => {
                if let Err(error) = self.on_check(&check) {
                    return (classify_error(&error), Some(error));
                }
                self.setup.shared.notify_waiters();
            }
            Err(error) => return (classify_error(&error), Some(error)),
        }
        if !self.setup.is_behind() {
            // Not the watch itself: the store may be required to catch up again while that runs.
            return (EndReason::CaughtUp, None);
        }
        let result = self.watch(after, overlap, CATCH_UP).await;
        let is_unavailable = matches!(result.0, EndReason::Unavailable(_) | EndReason::Refused(_));
        if self.setup.is_behind() && !is_unavailable {
            self.state.require_list();
        }
        result
    }

    fn watch_timeout(&self) -> Duration {
        jittered(self.setup.timeouts.watch.min(LONGEST), random())
    }

    fn begin_list(&mut self) {
        self.gauge().begin_list();
        self.setup.shared.reporter.count_list();
        self.state.begin_list();
        self.batch.begin_list();
    }

    /// Completes a list that was requested at this time.
    fn complete_list(&mut self, version: &str, requested: Instant) {
        self.remove_excluded();
        let events = self.batch.end_list(self.setup.endpoint.namespace());
        self.count_events(events);
        match self.events_since_rollback.take() {
            Some(0) => self.false_alarms += 1,
            Some(_) => self.false_alarms = 0,
            None => {}
        }
        self.state.complete_list(version);
        self.gauge().complete_list(version, requested);
        self.record_shards();
        self.setup.shared.notify_waiters();
    }

    /// Counts events since a reported rollback.
    fn count_events(&mut self, events: usize) {
        if let Some(since) = &mut self.events_since_rollback {
            *since += events;
        }
    }

    fn are_checks_reliable(&self) -> bool {
        self.false_alarms < MAX_FALSE_ALARMS
    }

    /// Records that the watch is connected.
    fn on_connected(&mut self) {
        self.gauge().set_connected(self.resumes);
        if std::mem::replace(&mut self.resumes, true) {
            self.setup.shared.reporter.count_resumed();
        }
    }

    fn gauge(&self) -> &Gauge {
        self.setup.gauge()
    }
}

impl Setup {
    /// Returns a decoder for the next objects.
    fn batch_decoder(&self, source: BatchSource, shards: Option<ShardFilter>) -> BatchDecoder<'_> {
        self.decoder.batch_decoder(Requested::from(&self.endpoint), source, shards)
    }

    fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// Whether the store may lack changes that it is required to contain.
    fn is_behind(&self) -> bool {
        self.shared.is_behind(&self.gauge)
    }

    /// Waits until the store may lack such changes, and no list runs, which may bring them: if a step begins with a store that
    /// lacks some, until it has caught up and lacks others. A list that streams goes on as a watch, which must not go on then.
    async fn outdated(&self, was_behind: bool) {
        if was_behind {
            self.shared.wait_until(|| !self.is_behind()).await;
        }
        self.shared.wait_until(|| self.is_behind() && self.gauge().has_listed()).await;
    }
}
