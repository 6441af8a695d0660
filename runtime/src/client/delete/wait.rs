//! Waits until an object is gone.

use std::time::Duration;

use futures_util::future::BoxFuture;
use kube_core::ObjectMeta;

use crate::client::{
    deadline::Deadline,
    endpoint::{AnyMetadata, Endpoint},
    error::DeleteError,
    request::{Request, Verb},
    wait::follow::{Follower, Sight},
};

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
    let mut last = ObjectMeta::default();
    let is_same = |object: &AnyMetadata| object.metadata.uid.as_deref() == Some(uid);
    let mut follower = Follower::new(endpoint, name);
    let gone = follower.until(|sight| match sight {
        Sight::Present(object) if is_same(&object) => {
            last = object.metadata;
            None
        }
        Sight::Deleted(object) if !is_same(&object) => None,
        Sight::Present(_) | Sight::Missing | Sight::Deleted(_) => Some(()),
    });
    if let Ok(result) = Deadline::after(limit).within(gone).await {
        return Ok(result?);
    }
    Err(match follower.last_error {
        Some(error) => error.into(),
        None => DeleteError::StillExists {
            operation: Box::new(operation),
            limit,
            finalizers: last.finalizers.unwrap_or_default(),
        },
    })
}
