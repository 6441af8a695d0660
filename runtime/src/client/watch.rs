//! Follows changes of objects.

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
mod line;
mod lines;

pub use event::Event;
#[cfg(feature = "informer")]
pub(crate) use line::{Bookmark, Line, line};
#[cfg(feature = "informer")]
pub(crate) use lines::{LineTooLong, Lines};

/// Shorter than the four minutes after which load balancers drop connections on which nothing happens.
const TIMEOUT: Duration = Duration::from_secs(225);

/// The longest time for which a watch may be asked: the API server counts nanoseconds in 64 bits.
pub(crate) const LONGEST: Duration = Duration::from_secs(i32::MAX as u64);

/// How much longer than it was asked for a watch may last.
pub(crate) const OVERTIME: Duration = Duration::from_secs(10);

impl<K: Object, P> Resources<K, P> {
    /// Follows changes of the objects, until the API server ends the watch.
    ///
    /// It does not go on by itself. Whoever wants more begins another [after](WatchRequest::after) the resourceVersion of
    /// the last event, and with a new list if that has [expired](Error::Expired):
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use crdkit::client::Event;
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
    ///             Event::Added(pod) | Event::Modified(pod) => println!("{:?}", pod.metadata.name),
    ///             Event::Deleted(pod) => println!("{:?} is gone", pod.metadata.name),
    ///             Event::Bookmark { .. } => {}
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

/// Which changes are to be followed. Awaiting it begins the watch.
#[derive(Clone)]
#[must_use = "nothing is watched until it is awaited"]
pub struct WatchRequest<K: Object> {
    endpoint: Endpoint<K>,
    query: Query,
    timeout: Duration,
}

impl<K: Object> WatchRequest<K> {
    pub(crate) fn new(endpoint: Endpoint<K>) -> Self {
        Self {
            endpoint,
            query: Query::default().flag("allowWatchBookmarks", true),
            timeout: TIMEOUT,
        }
    }

    /// Only objects whose labels match. One that matches no longer is told as deleted.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.query = self.query.labels(&selector);
        self
    }

    /// Only objects whose fields match. One that matches no longer is told as deleted.
    pub fn fields(mut self, selector: &str) -> Self {
        self.query = self.query.fields(selector);
        self
    }

    /// Only objects that a [`selector!`](crate::selector) means. One that it no longer means is told as deleted.
    pub fn matching(mut self, selector: impl Selects<K>) -> Self {
        self.query = self.query.matching(&selector);
        self
    }

    /// Changes after a resourceVersion, such as that of a list. Without one all objects that there are come first, as
    /// added.
    pub fn after(self, resource_version: &str) -> Self {
        self.with("resourceVersion", resource_version)
    }

    /// All objects that there are come first, as added, then a bookmark that says so.
    pub fn with_initial_events(self) -> Self {
        self.with("sendInitialEvents", "true")
            .with("resourceVersionMatch", "NotOlderThan")
    }

    /// When the API server ends the watch: after 225 s unless set. Fractions of seconds are left out. Where it has not done so
    /// 10 s later, the watch ends with [`Error::DeadlineExceeded`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn with(mut self, key: &'static str, value: &str) -> Self {
        self.query = self.query.with(key, value.to_owned());
        self
    }

    async fn begin(self) -> Result<Watch<K>, Error> {
        let lasts = self.timeout.min(LONGEST).as_secs().max(1);
        let query = self
            .query
            .flag("watch", true)
            .with("timeoutSeconds", lasts.to_string());
        let request = Request::collection(Verb::Watch).query(query);
        let body = self.endpoint.open(&request).await?;
        let limit = Duration::from_secs(lasts) + OVERTIME;
        let longest_line = self.endpoint.limit(Limit::WatchEvent);
        let lines = lines::of(body, longest_line, Deadline::after(limit));
        let events = event::read(self.endpoint, lines, limit);
        Ok(Watch {
            events: Box::pin(events),
            kind: PhantomData,
        })
    }
}

impl<K: Object> IntoFuture for WatchRequest<K> {
    type Output = Result<Watch<K>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.begin())
    }
}

/// Changes as they happen. The stream ends when the API server ends the watch, and after any error but
/// [`Error::Decode`] and [`Error::TooLarge`] of [`Limit::Depth`], which are about one object. It does not begin again by itself.
pub struct Watch<K: Resource> {
    events: BoxStream<'static, Result<Event<K>, Error>>,
    kind: PhantomData<K>,
}

impl<K: Resource> Stream for Watch<K> {
    type Item = Result<Event<K>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(context)
    }
}

impl<K: Resource> Unpin for Watch<K> {}
