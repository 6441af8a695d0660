//! Reads an object, changes it and writes the change, again if others were faster.

use futures_util::TryFutureExt;
use std::{convert::Infallible, time::Duration};

use serde_json::{Value, json};

use super::{
    endpoint::Endpoint,
    error::{Error, Mismatch, UpdateError},
    merge_patch,
    patch::Patch,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    retry,
    scope::SingleObject,
};

mod at_hand;

const FIRST_DELAY: Duration = Duration::from_millis(10);
const MAX_DELAY: Duration = Duration::from_secs(1);

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationResult {
    /// It was not there, and is now.
    Created,
    /// It was there, and the change was written.
    Updated,
    /// Nothing was written: the object is as it should be, or the API server dropped what was changed.
    Unchanged,
}

/// What a closure that changes an object returns: nothing, or a `Result` that may call the change off.
pub trait Mutation {
    /// Why the change is called off.
    type Error: Send;

    /// Whether to go on.
    ///
    /// # Errors
    ///
    /// If the change is called off.
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
    /// Changes an object, and returns it as the API server keeps it.
    ///
    /// The object is read, `edit` changes it, and what changed is sent: no more than that, so fields that `K` does not
    /// know stay as they are. If somebody else changed the object in between, all is done again with the newer one, a
    /// [bounded](Self::max_attempts) number of times. If nothing changes, nothing is sent. A change is made once at most:
    /// if there is no answer to it, that is an error. So this takes one request if nothing changes, and two if something
    /// does; [`update_from`](Self::update_from) takes none and one where the object is at hand.
    ///
    /// The status of a kind that has one is written apart: what `edit` changes of it is dropped by the API server, without
    /// a word. [`status`](Self::status) changes it.
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
    /// [`UpdateError::Aborted`] if `edit` returns an error, [`UpdateError::RetriesExhausted`] if others were faster
    /// each time, [`Error::Transport`] or [`Error::Timeout`] if it is not known whether the change was made, and those of
    /// every request.
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

    /// Changes an object, or creates it with the change if it is not there.
    ///
    /// It is read first, so this takes one request if nothing changes. Where an informer has the objects, it takes none to
    /// look it up there, and then [`update_from`](Self::update_from) or [`create`](Self::create).
    ///
    /// # Errors
    ///
    /// As for [`update`](Self::update) and [`create`](Self::create).
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
        let part = ObjectPart {
            name,
            uid: None,
            subresource,
        };
        self.read_and_update(part, &mut edit, Attempts::new(self))
            .await
    }

    async fn read_and_update<C: Mutation>(
        &self,
        part: ObjectPart<'_>,
        edit: &mut impl FnMut(&mut K) -> C,
        mut tries: Attempts,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        loop {
            match self.try_update(part, &mut *edit).await {
                Err(UpdateError::Request(error)) => tries.again_after(error).await?,
                result => return result,
            }
        }
    }

    async fn create_or_update<C: Mutation>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let mut tries = Attempts::new(self);
        loop {
            match self.try_create_or_update(object, &mut edit).await {
                Err(UpdateError::Request(error)) => tries.again_after(error).await?,
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
        let answer = self.fetch(&request).await?;
        let object = self.read(&request, &answer.body)?;
        self.check_uid(part, &object)?;
        let edited = self.edited(&request, object, edit)?;
        if edited.before == edited.after {
            return Ok((edited.object, OperationResult::Unchanged));
        }
        let stored: Value = self.decode(&request, &answer.body)?;
        if !has_version(&stored) {
            let mismatch = Mismatch::new("an object with a resourceVersion", "one without");
            return Err(self.unexpected(&request, mismatch).into());
        }
        match difference(&stored, &edited.before, &edited.after) {
            Some(patch) => {
                let patch = Patch::of_object(patch);
                Ok(self.write(part, &edited.before, &patch).await?)
            }
            None => Ok((edited.object, OperationResult::Unchanged)),
        }
    }

    /// Whether the object that was read is the one that is wanted.
    fn check_uid(&self, part: ObjectPart<'_>, object: &K) -> Result<(), Error> {
        match part.uid {
            Some(uid) if object.meta().uid.as_deref() != Some(uid) => Err(Error::Recreated {
                operation: Box::new(self.operation(&part.patch())),
            }),
            _ => Ok(()),
        }
    }

    /// The object before and after a change.
    fn edited<C: Mutation>(
        &self,
        request: &Request<'_>,
        mut object: K,
        edit: impl FnOnce(&mut K) -> C,
    ) -> Result<Edited<K>, UpdateError<C::Error>> {
        let unwritable = |error| self.unwritable(request, error);
        let before = serde_json::to_value(&object).map_err(unwritable)?;
        edit(&mut object)
            .into_result()
            .map_err(UpdateError::Aborted)?;
        let after = serde_json::to_value(&object).map_err(unwritable)?;
        Ok(Edited {
            object,
            before,
            after,
        })
    }

    async fn write(
        &self,
        part: ObjectPart<'_>,
        before: &Value,
        patch: &Patch,
    ) -> Result<(K, OperationResult), Error> {
        let patched = self.patch(part.name, part.subresource, patch).await?;
        // The API server may drop a change, such as one of a status that is written apart.
        let after = serde_json::to_value(&patched).ok();
        let outcome = match after.is_some_and(|after| is_as_before(before, after)) {
            true => OperationResult::Unchanged,
            false => OperationResult::Updated,
        };
        Ok((patched, outcome))
    }

    async fn try_create_or_update<C: Mutation>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, OperationResult), UpdateError<C::Error>> {
        let name = self.name_of(object)?;
        let part = ObjectPart {
            name,
            uid: None,
            subresource: None,
        };
        match self.try_update(part, &mut edit).await {
            Err(UpdateError::Request(error)) if error.is_not_found() => {
                let mut object = object.clone();
                edit(&mut object)
                    .into_result()
                    .map_err(UpdateError::Aborted)?;
                Ok((self.create(&object).await?, OperationResult::Created))
            }
            result => result,
        }
    }
}

/// What is to be changed.
#[derive(Clone, Copy)]
struct ObjectPart<'a> {
    name: &'a str,
    /// Of the one object that is meant, if not any of the name.
    uid: Option<&'a str>,
    subresource: Option<&'static str>,
}

impl<'a> ObjectPart<'a> {
    fn patch(self) -> Request<'a> {
        Request::object(Verb::Patch, self.name).subresource(self.subresource)
    }
}

/// An object that was changed in memory, and its JSON.
struct Edited<K> {
    object: K,
    before: Value,
    after: Value,
}

/// Whether an object came back as it was. Informers keep it without its managed fields.
fn is_as_before(before: &Value, mut after: Value) -> bool {
    const MANAGED_FIELDS: &str = "managedFields";
    if before["metadata"].get(MANAGED_FIELDS).is_none()
        && let Some(metadata) = after["metadata"].as_object_mut()
    {
        metadata.remove(MANAGED_FIELDS);
    }
    after == *before
}

/// Without a version a patch would hold for any.
fn has_version(stored: &Value) -> bool {
    let version = stored["metadata"]["resourceVersion"].as_str();
    version.is_some_and(|version| !version.is_empty())
}

/// The merge patch of a change of what a type knows of an object.
fn difference(stored: &Value, before: &Value, after: &Value) -> Option<Value> {
    for_this_version(stored, &merge_patch::rebase(stored, before, after))
}

/// The merge patch of a change, which holds for the version that was read only.
fn for_this_version(stored: &Value, wanted: &Value) -> Option<Value> {
    let mut patch = merge_patch::between(stored, wanted)?;
    let metadata = &mut patch["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    Some(patch)
}

/// Counts how often an update was tried.
struct Attempts {
    made: u32,
    max: u32,
}

impl Attempts {
    fn new<K: Object>(endpoint: &Endpoint<K>) -> Self {
        Self {
            made: 1,
            max: endpoint.client.options.max_attempts,
        }
    }

    /// Waits until it makes sense to try again; gives the error back if it does not.
    async fn again_after<E>(&mut self, error: Error) -> Result<(), UpdateError<E>> {
        let status_error = match error {
            Error::Conflict(status_error) | Error::AlreadyExists(status_error) => status_error,
            error => return Err(UpdateError::Request(error)),
        };
        if self.made >= self.max {
            let attempts = self.made;
            return Err(UpdateError::RetriesExhausted {
                attempts,
                status_error,
            });
        }
        let delay = retry::backoff(FIRST_DELAY, MAX_DELAY, self.made - 1);
        tokio::time::sleep(retry::jittered(delay, retry::random())).await;
        self.made += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
