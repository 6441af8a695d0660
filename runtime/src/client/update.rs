//! Updates objects: reads an object, changes it and writes the difference, with retries on conflicts.

use futures_util::TryFutureExt;
use std::{convert::Infallible, time::Duration};

use serde_json::Value;

use super::{
    endpoint::{Endpoint, RequestTarget},
    error::{Error, Mismatch, UpdateError},
    last_read::LastRead,
    merge_patch,
    patch::Patch,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
};
use crate::{
    client::{backoff_formula, sealed::Sealed},
    json::json_value::to_value,
};

mod change;
mod from_object;

/// After a conflict: the first delay is that of client-go's `DefaultRetry`.
const FIRST_DELAY: Duration = Duration::from_millis(10);
const MAX_DELAY: Duration = Duration::from_secs(1);

/// The result of an operation that creates or updates an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationResult {
    /// The object did not exist and was created.
    Created,
    /// The object existed and the change was written.
    Updated,
    /// Nothing was written: the object already had the desired state, or the API server dropped the change.
    Unchanged,
}

/// The return type of a closure that changes an object: `()`, or a `Result` that may abort the change.
pub trait Mutation: Sealed {
    /// The error that aborts the change.
    type Error: Send;

    /// Returns whether to write the change.
    ///
    /// # Errors
    ///
    /// If the closure aborts the change.
    fn into_result(self) -> Result<(), Self::Error>;
}

impl Mutation for () {
    type Error = Infallible;

    fn into_result(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<E: Send> Mutation for Result<(), E> {
    type Error = E;

    fn into_result(self) -> Result<(), E> {
        self
    }
}

impl<K: Object, P> Resources<K, P> {
    /// Changes an object and returns the stored object.
    ///
    /// This reads the object, calls `edit`, and sends only the difference, so fields that `K` does not declare are
    /// preserved. If the object is changed concurrently, the whole operation is repeated with the newer object, up to a
    /// [maximum number of attempts](Self::max_attempts). If nothing changes, nothing is sent. A change is made at most
    /// once: if there is no response to it, that is an error. So this takes one request if nothing changes, and two
    /// otherwise. If you already have the object, [`update_from`](Self::update_from) takes none and one.
    ///
    /// If the kind has a status subresource, the API server silently drops changes that `edit` makes to the status. Use
    /// [`status`](Self::status) to change it.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # async fn example(client: crdkit::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let configs = client.resources::<ConfigMap>().namespace("default");
    /// configs
    ///     .update("web", |config| {
    ///         let data = config.data.as_mut().ok_or("there is nothing to change")?;
    ///         data.insert("size".into(), "2".into());
    ///         Ok::<_, &str>(())
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`UpdateError::Aborted`] if `edit` returns an error, [`UpdateError::RetriesExhausted`] if every attempt
    /// conflicts with a concurrent change, [`Error::Transport`] or [`Error::Timeout`] if the change may or may not have
    /// been made, and the errors common to all requests.
    pub fn update<'a, C: Mutation + 'a>(
        &'a self,
        name: &'a str,
        edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: SingleObject<K>,
    {
        let updated = self.endpoint.update(name, None, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }

    /// Changes an object, or creates it with the change if it does not exist.
    ///
    /// The object is read first, so this takes one request even if nothing changes. If an informer has the objects,
    /// look up the object there without a request, and then call [`update_from`](Self::update_from) or
    /// [`create`](Self::create).
    ///
    /// # Errors
    ///
    /// The same as for [`update`](Self::update) and [`create`](Self::create).
    pub fn create_or_update<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a K,
        edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, (K, OperationResult), UpdateError<C::Error>>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.create_or_update(object, edit))
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn update<C: Mutation>(
        &self,
        name: &str,
        subresource: Option<&'static str>,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let part = ObjectPart { name, uid: None, subresource };
        self.read_and_update(part, &mut edit, UpdateAttempts::new(self)).await
    }

    async fn read_and_update<C: Mutation>(
        &self,
        part: ObjectPart<'_>,
        edit: &mut impl FnMut(&mut K) -> C,
        mut attempts: UpdateAttempts,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        loop {
            match self.try_update(part, &mut *edit).await {
                Err(UpdateError::Request(error)) => attempts.wait_before_retry(error).await?,
                result => return result,
            }
        }
    }

    async fn create_or_update<C: Mutation>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let mut attempts = UpdateAttempts::new(self);
        loop {
            match self.try_create_or_update(object, &mut edit).await {
                Err(UpdateError::Request(error)) => attempts.wait_before_retry(error).await?,
                result => return result,
            }
        }
    }

    async fn try_update<C: Mutation>(
        &self,
        part: ObjectPart<'_>,
        edit: impl FnOnce(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let request = Request::object(Verb::Get, part.name);
        let response = self.fetch(&request).await?;
        let object = self.read(&request, &response.body)?;
        self.check_uid(part, &object)?;
        let edited = self.apply_edit(&request, object, edit)?;
        if edited.before == edited.after {
            return Ok((edited.object, OperationResult::Unchanged));
        }
        let stored: Value = self.decode(&request, &response.body)?;
        if !has_version(&stored) {
            let mismatch = Mismatch::new("an object with a resourceVersion", "one without");
            return Err(self.unexpected(&request, mismatch).into());
        }
        let desired = merge_patch::rebase(&stored, &edited.before, &edited.after);
        match change::of_stored(&stored, &desired) {
            Some(patch) => Ok(self.write(part, &edited.before, &patch).await?),
            None => Ok((edited.object, OperationResult::Unchanged)),
        }
    }

    /// Checks that the read object has the required `uid`.
    fn check_uid(&self, part: ObjectPart<'_>, object: &K) -> Result<(), Error> {
        match part.uid {
            Some(uid) if object.meta().uid.as_deref() != Some(uid) => {
                Err(Error::Recreated { operation: Box::new(self.operation(&part.patch())) })
            }
            _ => Ok(()),
        }
    }

    /// Returns the object before and after a change.
    fn apply_edit<C: Mutation>(
        &self,
        request: &Request<'_>,
        mut object: K,
        edit: impl FnOnce(&mut K) -> C,
    ) -> Result<Edited<K>, UpdateError<C::Error>> {
        let encode_error = |error| self.encode_error(request, error);
        let before = to_value(&object).map_err(encode_error)?;
        edit(&mut object).into_result().map_err(UpdateError::Aborted)?;
        let after = to_value(&object).map_err(encode_error)?;
        Ok(Edited { object, before, after })
    }

    async fn write(&self, part: ObjectPart<'_>, before: &Value, patch: &Patch) -> Result<(K, OperationResult), Error> {
        let request = self.patch_request(part.name, part.subresource, patch)?.known(LastRead::of_json(before));
        let patched = self.object(&request).await?;
        // The API server may drop a change, such as one to the status if that is a subresource.
        let after = to_value(&patched).ok();
        let outcome = if after.is_some_and(|after| is_unchanged(before, after)) {
            OperationResult::Unchanged
        } else {
            OperationResult::Updated
        };
        Ok((patched, outcome))
    }

    async fn try_create_or_update<C: Mutation>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let name = self.name_of(Verb::Update, object)?;
        let part = ObjectPart { name, uid: None, subresource: None };
        match self.try_update(part, &mut edit).await {
            Err(UpdateError::Request(error)) if error.is_not_found() => {
                let mut object = object.clone();
                edit(&mut object).into_result().map_err(UpdateError::Aborted)?;
                Ok((self.create(&object).await?, OperationResult::Created))
            }
            result => result,
        }
    }
}

/// The object or subresource to change.
#[derive(Clone, Copy)]
struct ObjectPart<'a> {
    name: &'a str,
    /// The `uid` that the object must have, if one is required.
    uid: Option<&'a str>,
    subresource: Option<&'static str>,
}

impl<'a> ObjectPart<'a> {
    fn patch(self) -> Request<'a> {
        Request::object(Verb::Patch, self.name).subresource(self.subresource)
    }
}

/// An object that was changed in memory, and its JSON before and after.
struct Edited<K> {
    object: K,
    before: Value,
    after: Value,
}

/// Returns whether a returned object is unchanged. Informers store objects without their managed fields.
fn is_unchanged(before: &Value, mut after: Value) -> bool {
    const MANAGED_FIELDS: &str = "managedFields";
    if before["metadata"].get(MANAGED_FIELDS).is_none()
        && let Some(metadata) = after["metadata"].as_object_mut()
    {
        metadata.remove(MANAGED_FIELDS);
    }
    after == *before
}

/// Returns whether an object has a resourceVersion. A patch without one would apply to any version.
fn has_version(stored: &Value) -> bool {
    let version = stored["metadata"]["resourceVersion"].as_str();
    version.is_some_and(|version| !version.is_empty())
}

/// Counts the attempts of an update.
struct UpdateAttempts {
    count: u32,
    max: u32,
}

impl UpdateAttempts {
    fn new(endpoint: &RequestTarget) -> Self {
        Self { count: 1, max: endpoint.client.options.max_attempts }
    }

    /// Waits before the next attempt. Returns the error if there must not be one.
    async fn wait_before_retry<E>(&mut self, error: Error) -> Result<(), UpdateError<E>> {
        let status_error = match error {
            Error::Conflict(status_error) | Error::AlreadyExists(status_error) => status_error,
            error => return Err(UpdateError::Request(error)),
        };
        if self.count >= self.max {
            let attempts = self.count;
            return Err(UpdateError::RetriesExhausted { attempts, status_error });
        }
        let delay = backoff_formula::exponential(FIRST_DELAY, MAX_DELAY, self.count - 1);
        tokio::time::sleep(backoff_formula::jittered(delay, backoff_formula::random())).await;
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
