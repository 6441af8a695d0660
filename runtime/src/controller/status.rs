//! The status of objects, written once for each reconciliation.

use std::{
    any::{Any, type_name},
    future::IntoFuture,
    mem,
    sync::PoisonError,
};

use futures_util::future::{BoxFuture, FutureExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Context, Error, ReconciledKind, context::Run};
use crate::{
    client::{UpdateError, endpoint::Endpoint, merge_patch},
    clock,
    informer::CacheObject,
    json::json_value::to_value,
    resource::{
        conditions::{NewCondition, StatusConditions, set_condition},
        subresource::StatusSubresource,
    },
};

/// The status changes of one run that are not written yet, by the uid of their object.
pub(super) type PendingStatuses<K> = Vec<Box<dyn PendingStatus<K>>>;

/// A status of any type.
pub(super) trait PendingStatus<K: ReconciledKind>: Any + Send {
    fn uid(&self) -> Option<&str>;
    /// Writes the status if it differs from the one that was read.
    fn write<'a>(&'a mut self, run: &'a Run<K>) -> BoxFuture<'a, Result<(), Error>>;
}

/// A status that was changed.
struct Edited<K> {
    base: K,
    edited: K,
}

impl<K: ReconciledKind, T> Context<K, T> {
    /// Returns a handle to the status of an object.
    pub fn status<'a>(&'a self, object: &'a K) -> Status<'a, K>
    where
        K: StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
    {
        self.run.status(object)
    }
}

impl<K: ReconciledKind> Run<K> {
    pub(super) fn status<'a>(&'a self, object: &'a K) -> Status<'a, K>
    where
        K: StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
    {
        Status { run: self, object }
    }
}

/// The status of an object, which a reconcile function changes.
pub struct Status<'a, K: ReconciledKind> {
    run: &'a Run<K>,
    object: &'a K,
}

impl<'a, K> Status<'a, K>
where
    K: ReconciledKind + StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
{
    /// Changes the status. All changes of a reconciliation are written with one request after the function returns, also
    /// if it fails. Nothing is sent if nothing changed. Await the result to write them now.
    ///
    /// `observedGeneration` of the status and of its conditions is set to the generation of the given object, if there is
    /// such a field. `lastTransitionTime` of a condition changes only with its status. A missing status starts as the
    /// default.
    ///
    /// If somebody else has changed the object meanwhile, only the fields that the reconciliation changed are written.
    pub fn update(self, edit: impl FnOnce(&mut K::Status)) -> StatusUpdate<'a, K> {
        let mut statuses = self.run.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = self.object.uid();
        let index = statuses.iter().position(|pending| pending.uid() == uid).unwrap_or_else(|| {
            statuses.push(Box::new(Edited { base: self.object.clone(), edited: self.object.clone() }));
            statuses.len() - 1
        });
        let pending: &mut dyn Any = &mut *statuses[index];
        if let Some(pending) = pending.downcast_mut::<Edited<K>>() {
            edit(pending.edited.status_mut().get_or_insert_default());
            if let Some(inventories) = &self.run.inventories {
                inventories.keep(&pending.base, &mut pending.edited);
            }
        }
        StatusUpdate { run: self.run }
    }

    /// Sets a condition, as [`set_condition`] does, with the generation of the given object. The rest is the same as for
    /// [`update`](Self::update).
    pub fn set_condition<Source>(self, condition: NewCondition) -> StatusUpdate<'a, K>
    where
        K::Status: StatusConditions<Source>,
    {
        let condition = condition.or_observed_generation(self.object.generation());
        self.update(|status| {
            set_condition(status.list_mut(), condition);
        })
    }
}

/// A changed status, which is written after the reconcile function returns, or when this is awaited.
pub struct StatusUpdate<'a, K: ReconciledKind> {
    run: &'a Run<K>,
}

impl<'a, K: ReconciledKind> IntoFuture for StatusUpdate<'a, K> {
    type Output = Result<(), Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run.write_statuses().boxed()
    }
}

impl<K: ReconciledKind> Run<K> {
    /// Writes the changed statuses.
    pub(super) async fn write_statuses(&self) -> Result<(), Error> {
        let statuses = || self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = mem::take(&mut *statuses());
        for status in &mut changed {
            status.write(self).await?;
        }
        // Further changes of the same run start with what is stored now.
        statuses().extend(changed);
        Ok(())
    }
}

impl<K> PendingStatus<K> for Edited<K>
where
    K: ReconciledKind + StatusSubresource<Status: Default + Serialize + DeserializeOwned + Send>,
{
    fn uid(&self) -> Option<&str> {
        self.base.uid()
    }

    fn write<'a>(&'a mut self, run: &'a Run<K>) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let before = match self.base.status() {
                Some(status) => to_value(status)?,
                None => to_value(&K::Status::default())?,
            };
            let mut after = to_value(&self.edited.status())?;
            if self.base.status().is_none() && before == after {
                return Ok(());
            }
            maintain::<K::Status>(&before, &mut after, self.base.generation());
            if before == after && self.base.status().is_some() {
                return Ok(());
            }
            let rebase = |object: &mut K| -> Result<(), serde_json::Error> {
                let status = object.status_mut();
                let stored = to_value(status.get_or_insert_default())?;
                *status = Some(serde_json::from_value(merge_patch::rebase(&stored, &before, &after))?);
                Ok(())
            };
            let endpoint = run.kind.endpoint(&run.client, self.base.namespace());
            match endpoint.update_from(&self.base, false, Some("status"), rebase).await {
                Err(error) if error.is_not_found() => check_deleted(&endpoint, &self.base, error).await,
                updated => {
                    self.base = updated?.0;
                    self.edited = self.base.clone();
                    Ok(())
                }
            }
        }
        .boxed()
    }
}

/// The API server has no subresource `status` of an object that exists: its definition has lost it since the program was started.
#[derive(Debug, thiserror::Error)]
#[error(
    "the status cannot be written: the object exists, but the API server does not serve its subresource `status`; install the \
     CustomResourceDefinition of the type"
)]
struct NoStatusSubresource(#[source] UpdateError<serde_json::Error>);

/// Succeeds if an object was deleted. The API server responds with the same error if it does not serve the subresource.
async fn check_deleted<K: ReconciledKind>(
    endpoint: &Endpoint<K>,
    object: &K,
    error: UpdateError<serde_json::Error>,
) -> Result<(), Error> {
    match endpoint.any_metadata().get(object.name()).await {
        Ok(found) if found.metadata.uid.as_deref() == object.uid() => Err(NoStatusSubresource(error).into()),
        Err(error) if !error.is_not_found() => Err(error.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Sets `observedGeneration` and `lastTransitionTime`.
fn maintain<S: Serialize + DeserializeOwned>(before: &Value, after: &mut Value, generation: Option<i64>) {
    // A value without a type has each field, also those that its kind does not declare.
    let may_declare = type_name::<S>() != type_name::<Value>() || after.get("observedGeneration").is_some();
    if let Some(generation) = generation.filter(|_| may_declare) {
        let mut observed = after.clone();
        observed["observedGeneration"] = json!(generation);
        let kept = serde_json::from_value::<S>(observed).and_then(|status| to_value(&status));
        if let Ok(kept) = kept
            && kept["observedGeneration"] == generation
        {
            *after = kept;
        }
    }
    let old_conditions = before["conditions"].as_array();
    let Some(Value::Array(conditions)) = after.get_mut("conditions") else {
        return;
    };
    for condition in conditions.iter_mut().filter(|condition| is_condition(condition)) {
        let old = old_conditions.into_iter().flatten().find(|old| old["type"] == condition["type"]);
        maintain_condition(old, condition, generation);
    }
}

fn is_condition(value: &Value) -> bool {
    ["type", "status", "lastTransitionTime"].iter().all(|field| value[*field].is_string())
}

fn maintain_condition(old: Option<&Value>, condition: &mut Value, generation: Option<i64>) {
    let Some(old) = old else {
        set_observed_generation(condition, generation);
        return;
    };
    let has_same_time = old["lastTransitionTime"] == condition["lastTransitionTime"];
    if old["status"] == condition["status"] {
        condition["lastTransitionTime"] = old["lastTransitionTime"].clone();
    } else if has_same_time {
        condition["lastTransitionTime"] = json!(Time(clock::now()));
    }
    let is_changed = ["status", "reason", "message"].iter().any(|field| old[*field] != condition[*field]);
    if is_changed && old["observedGeneration"] == condition["observedGeneration"] {
        condition["observedGeneration"] = Value::Null;
        set_observed_generation(condition, generation);
    }
}

/// Sets the generation that a condition describes, unless it is set.
fn set_observed_generation(condition: &mut Value, generation: Option<i64>) {
    if let Some(generation) = generation.filter(|_| condition["observedGeneration"].is_null()) {
        condition["observedGeneration"] = json!(generation);
    }
}
