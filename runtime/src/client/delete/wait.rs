//! Waits until an object is gone.

use std::time::Duration;

use futures_util::{TryStreamExt, future::BoxFuture};
use kube_core::ObjectMeta;

use crate::client::{
    endpoint::{AnyMetadata, Endpoint},
    error::{DeleteError, Error},
    list::ListRequest,
    request::{Request, Verb},
    retry,
    selector::fields::escaped,
    watch::{WatchEvent, WatchRequest},
};

/// Delay between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Waits until the object with this uid is gone.
///
/// It is boxed here, where nothing is generic, so that it is compiled once, and not for each kind.
pub(super) fn wait_until_gone<'a>(
    endpoint: Endpoint<AnyMetadata>,
    name: &'a str,
    uid: &'a str,
    limit: Duration,
) -> BoxFuture<'a, Result<(), DeleteError>> {
    Box::pin(wait_with_limit(endpoint, name, uid, limit))
}

async fn wait_with_limit(
    endpoint: Endpoint<AnyMetadata>,
    name: &str,
    uid: &str,
    limit: Duration,
) -> Result<(), DeleteError> {
    let operation = endpoint.operation(&Request::object(Verb::Delete, name));
    let selector = format!("metadata.name={}", escaped(name));
    let mut waiting = Waiter { endpoint, uid, selector, last: ObjectMeta::default(), last_error: None };
    if let Ok(result) = tokio::time::timeout(limit, waiting.until_gone()).await {
        return Ok(result?);
    }
    Err(match waiting.last_error {
        Some(error) => error.into(),
        None => DeleteError::StillExists {
            operation: Box::new(operation),
            limit,
            finalizers: waiting.last.finalizers.unwrap_or_default(),
        },
    })
}

struct Waiter<'a> {
    endpoint: Endpoint<AnyMetadata>,
    uid: &'a str,
    selector: String,
    last: ObjectMeta,
    /// The most recent error, if the state of the object is unknown.
    last_error: Option<Error>,
}

impl Waiter<'_> {
    async fn until_gone(&mut self) -> Result<(), Error> {
        loop {
            let mut pause = POLL_INTERVAL;
            match self.is_gone().await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if is_transient(&error) => {
                    pause = pause.max(retry::requested_delay_of(&error));
                    self.last_error = Some(error);
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Returns whether the object is gone, or goes before a watch ends.
    async fn is_gone(&mut self) -> Result<bool, Error> {
        match self.version_if_present().await? {
            Some(version) => self.gone_after(&version).await,
            None => Ok(true),
        }
    }

    /// Returns the version of a list that contains the object, or `None` if the object is gone.
    async fn version_if_present(&mut self) -> Result<Option<String>, Error> {
        let list = ListRequest::new(self.endpoint.clone()).fields(&self.selector).await?;
        self.last_error = None;
        let version = list.metadata.resource_version.unwrap_or_default();
        let found = list.items.into_iter().find(|object| self.is_same_object(object));
        Ok(found.map(|object| {
            self.last = object.metadata;
            version
        }))
    }

    /// Returns whether the object is deleted before the watch ends.
    async fn gone_after(&mut self, version: &str) -> Result<bool, Error> {
        let watch = WatchRequest::new(self.endpoint.clone()).fields(&self.selector);
        let mut events = watch.after(version).await?;
        while let Some(event) = events.try_next().await? {
            match event {
                WatchEvent::Deleted(object) if self.is_same_object(&object) => return Ok(true),
                WatchEvent::Added(object) | WatchEvent::Modified(object) if self.is_same_object(&object) => {
                    self.last = object.metadata;
                }
                _ => {}
            }
        }
        Ok(false)
    }

    fn is_same_object(&self, object: &AnyMetadata) -> bool {
        object.metadata.uid.as_deref() == Some(self.uid)
    }
}

/// Returns whether to retry after an error: the wait has its own time limit.
fn is_transient(error: &Error) -> bool {
    matches!(
        error,
        Error::Transport { .. }
            | Error::DeadlineExceeded { .. }
            | Error::Unavailable(_)
            | Error::Timeout(_)
            | Error::TooManyRequests(_)
            | Error::Expired(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_names_are_used_in_selectors() {
        assert_eq!(escaped(r"a,b=c\d"), r"a\,b\=c\\d");
    }
}
