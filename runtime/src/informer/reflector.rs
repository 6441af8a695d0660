//! Keeps a cache like the objects of one namespace, or of all: lists them, follows what happens, and begins again.

mod body;
mod course;
mod follow;
mod intake;
mod pages;
mod reader;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::time::sleep;

use self::{
    course::{Course, End, Step},
    follow::Phase,
    intake::Intake,
};
use super::{Cached, health::Gauge, shared::Shared, timings::Timings, trouble::WatchError};
use crate::client::{endpoint::Endpoint, request::Query, retry::random};

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
    reader: Arc<Reader<T>>,
    intake: Intake<T>,
    /// Whether the next watch goes on where one ended.
    resumes: bool,
    /// Whether this API server sends bookmarks.
    bookmarks: bool,
    /// Up to where what has come in and is not in the cache yet goes; empty if nothing has.
    reached: String,
}

/// The step is over, with or without an error.
type Ended = (End, Option<WatchError>);

impl<T: Cached + DeserializeOwned> Reflector<T> {
    pub(super) fn new(setup: Setup<T>) -> Self {
        let shared = setup.shared;
        let intake = Intake::new(shared.clone());
        Self {
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
        }
    }

    /// Works until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            let (end, error) = match self.course.step() {
                Step::List { paged } => self.list(paged).await,
                Step::Stream => self.stream().await,
                Step::Watch { after } => self.watch(&after).await,
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
        match self.read_pages(paged).await {
            Ok(version) => {
                self.listed(&version);
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
        self.follow(query, Phase::Listing).await
    }

    async fn watch(&mut self, after: &str) -> Ended {
        self.intake.begin_watch(after);
        let query = Query::default().with("resourceVersion", after.to_owned());
        self.follow(query, Phase::Watching).await
    }

    fn begin_list(&mut self) {
        self.gauge().listing();
        self.shared.reports.lists();
        self.intake.begin_list();
    }

    /// All objects have been read.
    fn listed(&mut self, version: &str) {
        self.intake.end_list(self.endpoint.namespace());
        self.course.reached(version);
        self.gauge().synced(version);
        self.shared.progressed();
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
        WatchError::NoStreamingLists => End::Unsupported,
        WatchError::Request(error) if error.is_expired() => End::Expired,
        WatchError::Request(error) if error.status().is_some() => End::Refused(error.retry_after()),
        _ => End::Broken,
    }
}
