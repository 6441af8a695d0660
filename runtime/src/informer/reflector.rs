//! Keeps a cache like the objects of one namespace, or of all: lists them, follows what happens, and begins again.

mod attempt;
mod body;
mod checks;
mod course;
mod follow;
mod intake;
mod pages;
mod reader;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use self::{
    attempt::Phase,
    checks::Checks,
    course::{Anchor, Course, End, Step},
    intake::Intake,
};
use super::{Cached, health::Gauge, shared::Shared, timings::Timings, trouble::WatchError};
use crate::client::{Error, Limit, endpoint::Endpoint, request::Query, retry::random};

pub(super) use reader::{Reader, Transform};

/// What a reflector works with.
pub(super) struct Setup<T: Cached> {
    pub(super) endpoint: Endpoint<T::Kind>,
    pub(super) selection: Query,
    pub(super) shared: Arc<Shared<T>>,
    /// Which of the watches this is.
    pub(super) watch: usize,
    pub(super) timings: Timings,
    pub(super) reader: Arc<Reader<T>>,
}

pub(super) struct Reflector<T: Cached> {
    endpoint: Endpoint<T::Kind>,
    selection: Query,
    shared: Arc<Shared<T>>,
    watch: usize,
    timings: Timings,
    course: Course,
    checks: Arc<Checks<T>>,
    reader: Arc<Reader<T>>,
    intake: Intake<T>,
    /// Whether the next watch goes on where one ended.
    resumes: bool,
    /// Whether this API server sends bookmarks.
    bookmarks: bool,
    /// Up to where what has come in and is not in the cache yet goes; empty if nothing has.
    reached: String,
    /// How many events there were since a check showed that the API server went back in time.
    since_went_back: Option<usize>,
    /// How often in a row a check showed that, and there were no events.
    unfounded: u32,
}

/// After so many lists that a check was the reason of, and that changed nothing, resourceVersions of lists and of events
/// cannot be compared: some other API server than Kubernetes' own serves the kind.
const UNFOUNDED: u32 = 3;

/// The step is over, with or without an error.
type Ended = (End, Option<WatchError>);

impl<T: Cached + DeserializeOwned> Reflector<T> {
    pub(super) fn new(setup: Setup<T>) -> Self {
        let shared = setup.shared;
        let intake = Intake::new(shared.clone());
        let checks = Checks {
            endpoint: setup.endpoint.clone(),
            selection: setup.selection.clone(),
            shared: shared.clone(),
            watch: setup.watch,
            interval: setup.timings.check,
            answer: setup.timings.answer,
        };
        Self {
            checks: Arc::new(checks),
            endpoint: setup.endpoint,
            selection: setup.selection,
            shared,
            watch: setup.watch,
            timings: setup.timings,
            course: Course::new(setup.timings),
            reader: setup.reader,
            intake,
            resumes: false,
            bookmarks: false,
            reached: String::new(),
            since_went_back: None,
            unfounded: 0,
        }
    }

    /// Works until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            let (end, error) = match self.course.step() {
                Step::List { paged } => self.list(paged).await,
                Step::Stream => self.stream().await,
                Step::Watch { after, overlap } => self.watch(&after, overlap).await,
            };
            self.end(end, error);
            let pause = self.course.after(end, random());
            sleep(pause).await;
        }
    }

    fn end(&mut self, end: End, error: Option<WatchError>) {
        if end == End::Listed {
            return;
        }
        if matches!(end, End::Unsupported | End::Stalled) {
            self.gauge().falls_back();
        }
        if error.as_ref().is_some_and(WatchError::is_of_another_time) {
            self.intake.distrust();
        }
        if let Some(WatchError::WentBack { .. }) = error {
            self.since_went_back = Some(0);
        }
        let error = error.map(Arc::new);
        if let Some(error) = &error {
            self.report(error.clone());
        }
        self.gauge().ended(error);
        self.shared.progressed();
    }

    fn report(&self, error: Arc<WatchError>) {
        let namespace = self.endpoint.namespace();
        self.shared.reports.watch_failed(namespace, error);
    }

    async fn list(&mut self, paged: bool) -> Ended {
        self.begin_list();
        let sent = Instant::now();
        match self.read_pages(paged).await {
            Ok(version) => {
                self.listed(&version, sent);
                self.resumes = false;
                (End::Listed, None)
            }
            Err(error) => match end_of(&error) {
                End::Expired => (End::PageExpired, Some(error)),
                end => (end, Some(error)),
            },
        }
    }

    async fn stream(&mut self) -> Ended {
        self.begin_list();
        let query = Query::default()
            .with("sendInitialEvents", "true")
            .with("resourceVersionMatch", "NotOlderThan");
        self.follow(query, Phase::Listing, None).await
    }

    async fn watch(&mut self, after: &str, overlap: Option<Anchor>) -> Ended {
        self.intake.begin_watch(after);
        let start = overlap.map_or_else(|| after.to_owned(), |anchor| anchor.before());
        let query = Query::default().with("resourceVersion", start);
        self.follow(query, Phase::Watching, overlap).await
    }

    fn begin_list(&mut self) {
        self.gauge().listing();
        self.shared.reports.lists();
        self.course.begin_list();
        self.intake.begin_list();
    }

    /// All objects have been read, as they were after the list was requested.
    fn listed(&mut self, version: &str, requested: Instant) {
        let events = self.intake.end_list(self.endpoint.namespace());
        self.changed(events);
        match self.since_went_back.take() {
            Some(0) => self.unfounded += 1,
            Some(_) => self.unfounded = 0,
            None => {}
        }
        self.course.listed(version);
        self.gauge().synced(version, requested);
        self.shared.progressed();
    }

    /// There were so many events.
    fn changed(&mut self, events: usize) {
        if let Some(since) = &mut self.since_went_back {
            *since += events;
        }
    }

    fn believes_checks(&self) -> bool {
        self.unfounded < UNFOUNDED
    }

    /// A watch tells what happens.
    fn connected(&mut self) {
        self.gauge().connected(self.resumes);
        if std::mem::replace(&mut self.resumes, true) {
            self.shared.reports.resumes();
        }
    }

    fn gauge(&self) -> &Gauge {
        &self.shared.gauges[self.watch]
    }
}

fn end_of(error: &WatchError) -> End {
    match error {
        WatchError::OutOfOrder { .. } => End::Desync,
        error if error.is_of_another_time() => End::Desync,
        WatchError::NoStreamingLists => End::Unsupported,
        WatchError::Request(error) if error.is_expired() => End::Expired,
        // The event would come again and again.
        WatchError::Request(Error::TooLarge {
            limit: Limit::WatchEvent,
            ..
        }) => End::Desync,
        WatchError::Request(error) => match error.status() {
            Some(status) if status.code >= 500 => End::Unavailable(error.retry_after()),
            Some(_) => End::Refused(error.retry_after()),
            None => End::Broken,
        },
        _ => End::Broken,
    }
}
