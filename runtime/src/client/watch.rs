//! Watches objects.

use std::{
    fmt::Display,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{Stream, stream::BoxStream};
use kube_core::Resource;

use super::{
    deadline::Deadline,
    endpoint::Endpoint,
    error::Error,
    limits::Limit,
    request::{Query, Request, Verb},
    resources::{Object, Resources},
    scope::Listable,
    selector::Selects,
};

mod event;
pub(crate) mod line;
pub(crate) mod lines;

pub use event::WatchEvent;

/// Shorter than the four minutes after which load balancers close idle connections.
const TIMEOUT: Duration = Duration::from_secs(225);

/// The maximum timeout of a watch request: the API server stores it as nanoseconds in 64 bits.
pub(crate) const LONGEST: Duration = Duration::from_secs(i32::MAX as u64);

/// How long a watch may exceed its requested timeout.
pub(crate) const OVERTIME: Duration = Duration::from_secs(10);

impl<K: Object, P> Resources<K, P> {
    /// Watches the objects until the API server ends the watch.
    ///
    /// The watch does not restart by itself. To continue, start another one [after](WatchRequest::after) the
    /// resourceVersion of the last event, or with a new list if that version has [expired](Error::Expired):
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use crdkit::client::WatchEvent;
    /// use futures_util::TryStreamExt;
    ///
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let pods = client.resources::<Pod>().namespace("default");
    /// let mut version = pods.list().await?.metadata.resource_version.unwrap_or_default();
    /// loop {
    ///     let mut changes = pods.watch().after(&version).await?;
    ///     while let Some(event) = changes.try_next().await? {
    ///         if let Some(newer) = event.resource_version() {
    ///             version = newer.to_owned();
    ///         }
    ///         match event {
    ///             WatchEvent::Added(pod) | WatchEvent::Modified(pod) => println!("{:?}", pod.metadata.name),
    ///             WatchEvent::Deleted(pod) => println!("{:?} is gone", pod.metadata.name),
    ///             WatchEvent::Bookmark { .. } => {}
    ///         }
    ///     }
    /// }
    /// # }
    /// ```
    pub fn watch(&self) -> WatchRequest<K>
    where
        P: Listable<K>,
    {
        WatchRequest::new(self.endpoint.clone())
    }
}

/// A request to watch objects. Awaiting it starts the watch.
#[derive(Clone)]
#[must_use = "nothing is watched until it is awaited"]
pub struct WatchRequest<K: Object> {
    endpoint: Endpoint<K>,
    query: Query,
    timeout: Duration,
}

impl<K: Object> WatchRequest<K> {
    pub(crate) fn new(endpoint: Endpoint<K>) -> Self {
        Self { endpoint, query: Query::default().flag("allowWatchBookmarks", true), timeout: TIMEOUT }
    }

    /// Selects objects by labels. An object that no longer matches is reported as deleted.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.query = self.query.labels(&selector);
        self
    }

    /// Selects objects by fields. An object that no longer matches is reported as deleted.
    pub fn fields(mut self, selector: &str) -> Self {
        self.query = self.query.fields(selector);
        self
    }

    /// Selects objects with a [`selector!`](crate::selector). An object that no longer matches is reported as deleted.
    pub fn matching(mut self, selector: impl Selects<K>) -> Self {
        self.query = self.query.matching(&selector);
        self
    }

    /// Starts after a resourceVersion, such as that of a list. Without one, all existing objects are first reported as
    /// added.
    pub fn after(self, resource_version: &str) -> Self {
        self.with("resourceVersion", resource_version)
    }

    /// First reports all existing objects as added, followed by a bookmark that marks their end.
    pub fn with_initial_events(self) -> Self {
        self.with("sendInitialEvents", "true").with("resourceVersionMatch", "NotOlderThan")
    }

    /// Sets when the API server ends the watch: after 225 s by default. Fractions of a second are dropped.
    ///
    /// If the API server has not ended it 10 s later, the watch ends with [`Error::DeadlineExceeded`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn with(mut self, key: &'static str, value: &str) -> Self {
        self.query = self.query.with(key, value.to_owned());
        self
    }

    async fn start(self) -> Result<Watch<K>, Error> {
        let timeout_seconds = self.timeout.min(LONGEST).as_secs().max(1);
        let query = self.query.flag("watch", true).with("timeoutSeconds", timeout_seconds.to_string());
        let request = Request::collection(Verb::Watch).query(query);
        let body = self.endpoint.open(&request).await?;
        let limit = Duration::from_secs(timeout_seconds) + OVERTIME;
        let longest_line = self.endpoint.limit(Limit::WatchEvent);
        let lines = lines::split(body, longest_line, Deadline::after(limit));
        let events = event::read(self.endpoint, lines, limit);
        Ok(Watch { events: Box::pin(events), kind: PhantomData })
    }
}

impl<K: Object> IntoFuture for WatchRequest<K> {
    type Output = Result<Watch<K>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}

/// A stream of watch events.
///
/// It ends when the API server ends the watch, and after any error except [`Error::Decode`] and [`Error::TooLarge`]
/// with [`Limit::Depth`], which concern a single object. It does not restart by itself.
pub struct Watch<K: Resource> {
    events: BoxStream<'static, Result<WatchEvent<K>, Error>>,
    kind: PhantomData<K>,
}

impl<K: Resource> Stream for Watch<K> {
    type Item = Result<WatchEvent<K>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(context)
    }
}

impl<K: Resource> Unpin for Watch<K> {}
