//! The states of one object, by a list and a watch.

use std::time::Duration;

use futures_util::StreamExt;

use crate::client::{
    backoff_formula::exponential,
    endpoint::Endpoint,
    error::{Error, StatusError},
    limits::Limit,
    list::ListRequest,
    resources::Object,
    retry,
    selector::fields::escaped,
    watch::{WatchEvent, WatchRequest},
};

/// Delay before the object is listed again, after a watch has ended or a request has failed. It grows with the number of failures.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What is seen of an object.
pub(crate) enum Sight<K> {
    /// The object in a state.
    Present(K),
    /// No object has the name.
    Missing,
    /// The last state of an object that was deleted.
    Deleted(K),
}

/// Follows an object by its name, also while there is none.
pub(crate) struct Follower<K: Object> {
    endpoint: Endpoint<K>,
    name: String,
    /// The most recent error, if the state of the object is unknown.
    pub(crate) last_error: Option<Error>,
    /// The number of lists that were read.
    listed: u64,
}

impl<K: Object> Follower<K> {
    pub(crate) fn new(endpoint: Endpoint<K>, name: &str) -> Self {
        Self { endpoint, name: name.to_owned(), last_error: None, listed: 0 }
    }

    /// Calls `see` with each sight of the object until it returns a value. Errors that pass are retried without an end.
    pub(crate) async fn until<T>(&mut self, mut see: impl FnMut(Sight<K>) -> Option<T> + Send) -> Result<T, Error> {
        let mut failures = 0;
        loop {
            let listed = self.listed;
            match self.once(&mut see).await {
                Ok(Some(seen)) => return Ok(seen),
                Ok(None) => {}
                Err(error) if is_transient(&error) => self.last_error = Some(error),
                Err(error) => return Err(error),
            }
            failures = if self.last_error.is_some() && self.listed == listed { failures + 1 } else { 0 };
            let requested = self.last_error.as_ref().map(retry::requested_delay_of).unwrap_or_default();
            tokio::time::sleep(exponential(FIRST_PAUSE, LONGEST_PAUSE, failures).max(requested)).await;
        }
    }

    /// The same until a watch ends.
    async fn once<T>(&mut self, see: &mut (impl FnMut(Sight<K>) -> Option<T> + Send)) -> Result<Option<T>, Error> {
        let selector = format!("metadata.name={}", escaped(&self.name));
        // What is returned has the same fields as in a watch.
        let list = ListRequest::new(self.endpoint.clone()).fields(&selector).keep_managed_fields().await?;
        (self.last_error, self.listed) = (None, self.listed + 1);
        let version = list.metadata.resource_version.unwrap_or_default();
        let object = list.items.into_iter().find(|object| is_named(object, &self.name));
        if let Some(seen) = see(object.map_or(Sight::Missing, Sight::Present)) {
            return Ok(Some(seen));
        }
        let mut events = WatchRequest::new(self.endpoint.clone()).fields(&selector).after(&version).await?;
        while let Some(event) = events.next().await {
            let event = match event {
                // The watch goes on after an object that cannot be decoded.
                Err(error) if is_undecodable(&error) => {
                    self.last_error = Some(error);
                    continue;
                }
                Err(error) => return Err(error),
                Ok(event) => event,
            };
            let sight = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) if is_named(&object, &self.name) => {
                    Sight::Present(object)
                }
                WatchEvent::Deleted(object) if is_named(&object, &self.name) => Sight::Deleted(object),
                _ => continue,
            };
            self.last_error = None;
            if let Some(seen) = see(sight) {
                return Ok(Some(seen));
            }
        }
        Ok(None)
    }
}

/// API servers that do not know the selector send all objects.
fn is_named(object: &impl Object, name: &str) -> bool {
    object.meta().name.as_deref() == Some(name)
}

/// Returns whether to retry after an error: whoever waits has a time limit of their own.
fn is_transient(error: &Error) -> bool {
    let is_of_server = |error: &StatusError| error.status.code >= 500;
    match error {
        Error::Transport { .. }
        | Error::DeadlineExceeded { .. }
        | Error::Unavailable(_)
        | Error::Timeout(_)
        | Error::TooManyRequests(_)
        | Error::Expired(_) => true,
        Error::Api(error) => is_of_server(error),
        error => is_undecodable(error),
    }
}

/// Whether one state of an object cannot be read. Another one may follow.
fn is_undecodable(error: &Error) -> bool {
    matches!(error, Error::Decode(_) | Error::TooLarge { limit: Limit::Depth, .. })
}
