//! Reads an object, changes it and writes the change, again if others were faster.

use std::{convert::Infallible, time::Duration};

use serde_json::{Value, json};

use super::{
    endpoint::Endpoint,
    error::{Error, UpdateError},
    merge_patch,
    patch::Patch,
    place::OneObject,
    request::{Request, Verb},
    resources::{Object, Resources},
    retry,
};

const FIRST_DELAY: Duration = Duration::from_millis(10);
const MAX_DELAY: Duration = Duration::from_secs(1);

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was not there, and is now.
    Created,
    /// It was there, and the change was written.
    Updated,
    /// It is as it should be, so nothing was written.
    Unchanged,
}

/// What a closure that changes an object returns: nothing, or a `Result` that may call the change off.
pub trait Change {
    /// Why the change is called off.
    type Error;

    /// Whether to go on.
    ///
    /// # Errors
    ///
    /// If the change is called off.
    fn into_result(self) -> Result<(), Self::Error>;
}

impl Change for () {
    type Error = Infallible;

    fn into_result(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<E> Change for Result<(), E> {
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
    /// [bounded](Self::max_attempts) number of times. If nothing changes, nothing is sent.
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
    /// [`UpdateError::CalledOff`] if `edit` returns an error, [`UpdateError::StillConflicting`] if others were faster
    /// each time, and those of every request.
    pub async fn update<C: Change>(
        &self,
        name: &str,
        edit: impl FnMut(&mut K) -> C,
    ) -> Result<K, UpdateError<C::Error>>
    where
        P: OneObject<K>,
    {
        let (object, _) = self.endpoint.update(name, None, edit).await?;
        Ok(object)
    }

    /// Changes an object, or creates it with the change if it is not there.
    ///
    /// # Errors
    ///
    /// As for [`update`](Self::update) and [`create`](Self::create).
    pub async fn create_or_update<C: Change>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, Outcome), UpdateError<C::Error>>
    where
        P: OneObject<K>,
    {
        let mut tries = Tries::new(&self.endpoint);
        loop {
            match self.endpoint.try_create_or_update(object, &mut edit).await {
                Err(UpdateError::Request(error)) => tries.again_after(error).await?,
                result => return result,
            }
        }
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn update<C: Change>(
        &self,
        name: &str,
        subresource: Option<&'static str>,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, Outcome), UpdateError<C::Error>> {
        let mut tries = Tries::new(self);
        loop {
            match self.try_update(name, subresource, &mut edit).await {
                Err(UpdateError::Request(error)) => tries.again_after(error).await?,
                result => return result,
            }
        }
    }

    async fn try_update<C: Change>(
        &self,
        name: &str,
        subresource: Option<&'static str>,
        edit: impl FnOnce(&mut K) -> C,
    ) -> Result<(K, Outcome), UpdateError<C::Error>> {
        let request = Request::object(Verb::Get, name);
        let answer = self.fetch(&request).await?;
        let mut object: K = self.decode(&request, &answer.body)?;
        let unwritable = |error| self.unwritable(&request, error);
        let before = serde_json::to_value(&object).map_err(unwritable)?;
        edit(&mut object)
            .into_result()
            .map_err(UpdateError::CalledOff)?;
        let after = serde_json::to_value(&object).map_err(unwritable)?;
        if before == after {
            return Ok((object, Outcome::Unchanged));
        }
        let stored: Value = self.decode(&request, &answer.body)?;
        let Some(patch) = difference(&stored, &before, &after) else {
            return Ok((object, Outcome::Unchanged));
        };
        let patched = self
            .patch(name, subresource, &Patch::of_object(patch))
            .await?;
        Ok((patched, Outcome::Updated))
    }

    async fn try_create_or_update<C: Change>(
        &self,
        object: &K,
        mut edit: impl FnMut(&mut K) -> C,
    ) -> Result<(K, Outcome), UpdateError<C::Error>> {
        let name = self.name_of(object)?;
        match self.try_update(name, None, &mut edit).await {
            Err(UpdateError::Request(error)) if error.is_not_found() => {
                let mut object = object.clone();
                edit(&mut object)
                    .into_result()
                    .map_err(UpdateError::CalledOff)?;
                Ok((self.create(&object).await?, Outcome::Created))
            }
            result => result,
        }
    }
}

/// The merge patch of a change, which holds for the version that was read only.
fn difference(stored: &Value, before: &Value, after: &Value) -> Option<Value> {
    let wanted = merge_patch::rebase(stored, before, after);
    let mut patch = merge_patch::between(stored, &wanted)?;
    let metadata = &mut patch["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    Some(patch)
}

/// Counts how often an update was tried.
struct Tries {
    made: u32,
    max: u32,
}

impl Tries {
    fn new<K: Object>(endpoint: &Endpoint<K>) -> Self {
        Self {
            made: 1,
            max: endpoint.client.options.max_attempts,
        }
    }

    /// Waits until it makes sense to try again; gives the error back if it does not.
    async fn again_after<E>(&mut self, error: Error) -> Result<(), UpdateError<E>> {
        let refusal = match error {
            Error::Conflict(refusal) | Error::AlreadyExists(refusal) => refusal,
            error => return Err(UpdateError::Request(error)),
        };
        if self.made >= self.max {
            let attempts = self.made;
            return Err(UpdateError::StillConflicting { attempts, refusal });
        }
        let delay = retry::backoff(FIRST_DELAY, MAX_DELAY, self.made - 1);
        tokio::time::sleep(retry::jittered(delay, retry::random())).await;
        self.made += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube_core::ObjectMeta;

    use super::*;
    use crate::client::{
        mock::{Mock, Reply},
        place::InNamespace,
    };

    fn config(version: &str, size: &str) -> Reply {
        let metadata = json!({ "name": "web", "resourceVersion": version });
        let data = json!({ "size": size, "other": "kept" });
        Reply::json(
            200,
            json!({ "metadata": metadata, "data": data, "unknown": { "to": "the type" } }),
        )
    }

    fn conflict() -> Reply {
        Reply::status(409, "Conflict", "web")
    }

    fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
        mock.client().resources().namespace("prod")
    }

    fn resize(size: &'static str) -> impl FnMut(&mut ConfigMap) {
        move |config| {
            let data = config.data.get_or_insert_default();
            data.insert("size".into(), size.into());
        }
    }

    #[tokio::test]
    async fn only_the_change_is_sent_with_the_version_that_was_read() {
        let mock = Mock::new([config("7", "1"), config("8", "2")]);
        let updated = configs(&mock).update("web", resize("2")).await.unwrap();
        assert_eq!(updated.metadata.resource_version.as_deref(), Some("8"));
        let patch = json!({ "metadata": { "resourceVersion": "7" }, "data": { "size": "2" } });
        assert_eq!(mock.sent()[1].body, patch);
        assert_eq!(mock.sent()[1].content_type, "application/merge-patch+json");
    }

    #[tokio::test]
    async fn what_changes_nothing_is_not_sent() {
        let mock = Mock::new([config("7", "1")]);
        configs(&mock).update("web", resize("1")).await.unwrap();
        assert_eq!(mock.sent().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_conflict_is_met_with_the_newer_object() {
        let replies = [
            config("7", "1"),
            conflict(),
            config("8", "5"),
            config("9", "2"),
        ];
        let mock = Mock::new(replies);
        configs(&mock).update("web", resize("2")).await.unwrap();
        let sent = mock.sent();
        assert_eq!(sent.len(), 4);
        assert_eq!(sent[3].body["metadata"]["resourceVersion"], "8");
    }

    #[tokio::test(start_paused = true)]
    async fn conflicts_without_end_are_given_up() {
        let replies = (0..3).flat_map(|_| [config("7", "1"), conflict()]);
        let mock = Mock::new(replies);
        let configs = configs(&mock).max_attempts(3);
        let error = configs.update("web", resize("2")).await.unwrap_err();
        assert!(
            matches!(error, UpdateError::StillConflicting { attempts: 3, .. }),
            "{error}"
        );
        assert_eq!(error.status().unwrap().code, 409);
        assert_eq!(mock.sent().len(), 6);
    }

    #[tokio::test]
    async fn a_closure_may_call_the_change_off() {
        let mock = Mock::new([config("7", "1")]);
        let off = |_: &mut ConfigMap| Err("not today");
        let error = configs(&mock).update("web", off).await.unwrap_err();
        assert!(
            matches!(error, UpdateError::CalledOff("not today")),
            "{error}"
        );
        assert_eq!(mock.sent().len(), 1);
    }

    fn web() -> ConfigMap {
        ConfigMap {
            metadata: ObjectMeta {
                name: Some("web".into()),
                ..Default::default()
            },
            ..Default::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_there_is_created_with_the_change() {
        let missing = || Reply::status(404, "NotFound", "web");
        let replies = [
            missing(),
            Reply::status(409, "AlreadyExists", "web"),
            missing(),
            config("1", "2"),
        ];
        let mock = Mock::new(replies);
        let made = configs(&mock).create_or_update(&web(), resize("2")).await;
        assert_eq!(made.unwrap().1, Outcome::Created);
        assert_eq!(mock.sent()[3].body["data"], json!({ "size": "2" }));
    }

    #[tokio::test]
    async fn what_is_there_is_changed_or_left_alone() {
        for (size, outcome) in [("2", Outcome::Updated), ("1", Outcome::Unchanged)] {
            let mock = Mock::new([config("7", "1"), config("8", "2")]);
            let made = configs(&mock).create_or_update(&web(), resize(size)).await;
            assert_eq!(made.unwrap().1, outcome);
        }
    }
}
