//! Deletes objects.

use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    time::Duration,
};

use kube_core::{ObjectMeta, Status, response::StatusSummary};
use serde::{Deserialize, Serialize};

use super::{
    Client, decode,
    endpoint::{Endpoint, JSON},
    error::{DeleteError, Error, Mismatch, StatusError},
    last_read::LastRead,
    limits::Limit,
    request::{Request, Verb},
    resources::{Object, Resources},
    response_kind::Types,
    scope::SingleObject,
    send::{CompleteResponse, RetryState},
};

mod collection;
mod wait;

pub use collection::DeleteCollection;
use wait::wait_until_gone;

/// The deletion propagation policy: how dependents of a deleted owner are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Propagation {
    /// Dependents are deleted before the owner.
    Foreground,
    /// Dependents are deleted after the owner.
    Background,
    /// Dependents remain, without an owner.
    Orphan,
}

impl<K: Object, P> Resources<K, P> {
    /// Deletes an object.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use std::time::Duration;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::DeleteError> {
    /// let pods = client.resources::<Pod>().namespace("default");
    /// pods.delete("web").grace_period(Duration::from_secs(5)).await?;
    /// pods.delete("worker").and_wait(Duration::from_secs(60)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete<'a>(&self, name: &'a str) -> Delete<'a, K>
    where
        P: SingleObject<K>,
    {
        self.endpoint.delete(name)
    }
}

/// The result of a deletion.
///
/// Its `Debug` output names the object and omits the rest of its metadata.
#[derive(Clone, PartialEq)]
pub enum Deleted {
    /// The object is gone.
    Gone,
    /// The object is terminating: it is removed after its grace period, when all its finalizers are removed. This is
    /// its most recent metadata.
    Terminating(Box<ObjectMeta>),
}

impl fmt::Debug for Deleted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("Gone"),
            Self::Terminating(metadata) => f
                .debug_struct("Terminating")
                .field("namespace", &metadata.namespace)
                .field("name", &metadata.name)
                .field("uid", &metadata.uid)
                .field("finalizers", &metadata.finalizers)
                .finish_non_exhaustive(),
        }
    }
}

/// A request to delete an object. Awaiting it sends the request.
///
/// It fails with [`Error::NotFound`] if no object has this name, with [`Error::Conflict`] if the object does not meet
/// the preconditions, and with [`DeleteError::StillExists`] if the object is not gone in time. If there is no response,
/// the request is retried only if a [`uid`](Self::uid) is required and no [`resource_version`](Self::resource_version):
/// otherwise a retry could delete a later object with the same name.
#[must_use = "nothing is deleted until it is awaited"]
pub struct Delete<'a, K: Object> {
    endpoint: Endpoint<K>,
    name: &'a str,
    options: DeleteOptions,
    wait: Option<Duration>,
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grace_period_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    propagation_policy: Option<Propagation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preconditions: Option<Preconditions>,
    /// Not in the query: the API server ignores the query if there is a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<[&'static str; 1]>,
}

impl DeleteOptions {
    pub(super) fn from_client(client: &Client) -> Self {
        Self { dry_run: client.options.dry_run.then_some(["All"]), ..Self::default() }
    }

    pub(super) fn preconditions(&mut self) -> &mut Preconditions {
        self.preconditions.get_or_insert_default()
    }

    /// Returns the object that is deleted, as far as there are preconditions.
    fn known(&self) -> LastRead<'_> {
        let preconditions = self.preconditions.as_ref();
        preconditions
            .map_or_else(LastRead::default, |only| LastRead::new(only.uid.as_deref(), only.resource_version.as_deref()))
    }

    /// Returns whether the options identify a single object, whatever its state after the first request.
    fn is_repeatable(&self) -> bool {
        let preconditions = self.preconditions.as_ref();
        preconditions.is_some_and(|only| only.uid.is_some() && only.resource_version.is_none())
    }
}

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Preconditions {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_version: Option<String>,
}

/// The options for deleting one or several objects.
macro_rules! delete_options {
    () => {
        /// Sets the grace period for graceful termination, at most 68 years. Fractions of a second are dropped.
        pub fn grace_period(mut self, period: std::time::Duration) -> Self {
            // The API server stores the period as nanoseconds in 64 bits.
            self.options.grace_period_seconds = Some(period.as_secs().min(i32::MAX as u64));
            self
        }

        /// Sets how dependents are treated. The default depends on the kind.
        pub fn propagation(mut self, propagation: $crate::client::Propagation) -> Self {
            self.options.propagation_policy = Some(propagation);
            self
        }
    };
}
pub(crate) use delete_options;

impl<K: Object> Delete<'_, K> {
    delete_options!();

    /// Deletes the object only if its `metadata.uid` is `uid`, and not a later object with the same name.
    pub fn uid(mut self, uid: &str) -> Self {
        self.options.preconditions().uid = Some(uid.to_owned());
        self
    }

    /// Deletes the object only if it is at this resourceVersion.
    pub fn resource_version(mut self, version: &str) -> Self {
        self.options.preconditions().resource_version = Some(version.to_owned());
        self
    }

    /// Waits until the object is gone, even if another object with the same name is created or the connection breaks.
    ///
    /// This requires the permissions to list and watch objects of the kind.
    pub fn and_wait(mut self, limit: Duration) -> Self {
        self.wait = Some(limit);
        self
    }

    async fn send(self) -> Result<Deleted, DeleteError> {
        let deleted = self.delete().await?;
        let (Some(limit), Deleted::Terminating(metadata)) = (self.wait, &deleted) else {
            return Ok(deleted);
        };
        if self.endpoint.client.options.dry_run {
            return Ok(deleted);
        }
        let uid = metadata.uid.as_deref().filter(|uid| !uid.is_empty());
        let Some(uid) = uid else {
            let request = Request::object(Verb::Delete, self.name);
            let mismatch = Mismatch::new("an object with a uid", "one without");
            return Err(self.endpoint.unexpected(&request, mismatch).into());
        };
        wait_until_gone(self.endpoint.any_metadata(), self.name, uid, limit).await?;
        Ok(Deleted::Gone)
    }

    async fn delete(&self) -> Result<Deleted, Error> {
        let request = Request { repeatable: self.options.is_repeatable(), ..Request::object(Verb::Delete, self.name) }
            .known(self.options.known());
        let request = self.endpoint.with_json(request, JSON, &self.options)?;
        let mut retry_state = RetryState::default();
        let response = self.endpoint.fetch_after(&mut retry_state, &request).await;
        match response {
            Err(error) if error.is_not_found() && retry_state.maybe_processed => Ok(Deleted::Gone),
            response => self.endpoint.read_deleted(&request, &response?),
        }
    }
}

impl<K: Object> Endpoint<K> {
    /// Deletes an object of the namespace of the endpoint.
    pub(crate) fn delete<'a>(&self, name: &'a str) -> Delete<'a, K> {
        Delete { endpoint: self.clone(), name, options: DeleteOptions::from_client(&self.client), wait: None }
    }

    /// Decodes the response to a deletion: the object, or a Status if it is gone.
    fn read_deleted(&self, request: &Request<'_>, response: &CompleteResponse) -> Result<Deleted, Error> {
        if self.is_done(request, response)? {
            return Ok(Deleted::Gone);
        }
        let left: RemainingObject = decode::typed_object(self.expected(), &response.body, self.limit(Limit::Depth))
            .map_err(|failure| failure.into_error(self.operation(request)))?;
        self.check_identity(request, &left.metadata)?;
        Ok(left.into_deleted())
    }

    /// Returns whether the response to a deletion, or to an eviction, is a Status of success.
    ///
    /// # Errors
    ///
    /// If the Status reports a failure.
    pub(super) fn is_done(&self, request: &Request<'_>, response: &CompleteResponse) -> Result<bool, Error> {
        let text = std::str::from_utf8(&response.body).unwrap_or_default();
        if !Types::read(text).is_ok_and(|types| types.is_status()) {
            return Ok(false);
        }
        let status: Status = self.decode(request, &response.body)?;
        self.check_status(request, &status)?;
        match status.status {
            Some(StatusSummary::Success) => Ok(true),
            _ => Err(StatusError {
                operation: self.operation(request),
                status,
                retry_after: None,
                quote_limit: self.quote_limit(),
                needed: &[],
            }
            .into_error()),
        }
    }

    /// Checks that a Status refers to the requested object, if it refers to any.
    fn check_status(&self, request: &Request<'_>, status: &Status) -> Result<(), Error> {
        let details = status.details.as_ref();
        let uid = details.map(|details| &details.uid).filter(|uid| !uid.is_empty());
        if let Some(uid) = uid {
            let deleted = ObjectMeta { uid: Some(uid.clone()), ..ObjectMeta::default() };
            request.known.check(&deleted).map_err(|mismatch| self.unexpected(request, mismatch))?;
        }
        let about = details.map(|details| &*details.name).filter(|about| !about.is_empty());
        let (Some(expected), Some(about)) = (request.name, about) else {
            return Ok(());
        };
        if about == expected {
            return Ok(());
        }
        let of = |name: &str| format!("a Status of the object `{}`", name.escape_debug());
        Err(self.unexpected(request, Mismatch::new(of(expected), of(about))))
    }
}

/// The metadata of a remaining object. The rest is not decoded: a type mismatch does not affect the deletion.
#[derive(Deserialize)]
struct RemainingObject {
    #[serde(default)]
    metadata: ObjectMeta,
}

impl RemainingObject {
    fn into_deleted(self) -> Deleted {
        if self.is_gone() { Deleted::Gone } else { Deleted::Terminating(Box::new(self.metadata)) }
    }

    /// Some kinds return the object although nothing delays its removal.
    fn is_gone(&self) -> bool {
        let metadata = &self.metadata;
        let has_time = metadata.deletion_grace_period_seconds != Some(0);
        let is_retained = has_time || metadata.finalizers.iter().flatten().next().is_some();
        metadata.deletion_timestamp.is_none() || !is_retained
    }
}

impl<'a, K: Object> IntoFuture for Delete<'a, K> {
    type Output = Result<Deleted, DeleteError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

#[cfg(test)]
mod tests;
