//! Reads and writes the status of objects.

use futures_util::TryFutureExt;
use kube_core::Resource;
use std::marker::PhantomData;

use super::{
    apply::Apply,
    endpoint::Endpoint,
    error::{ApplyError, UpdateError},
    get::none_if_not_found,
    patch::Patch,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::{Listable, SingleObject},
    update::Mutation,
};
use crate::{
    json::json_value::to_value,
    resource::{
        conditions::{NewCondition, StatusConditions, set_condition},
        subresource::StatusSubresource,
    },
};

const STATUS: Option<&str> = Some("status");

impl<K: Object, P> Resources<K, P> {
    /// Returns a handle to the status of the objects, if their kind has a status subresource.
    ///
    /// ```compile_fail,E0277
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<ConfigMap>().namespace("default").status();
    /// # }
    /// ```
    pub fn status<Status>(&self) -> StatusClient<K, P, Status>
    where
        K: StatusSubresource<Status = Status>,
    {
        StatusClient { endpoint: self.endpoint.clone(), status_mut: K::status_mut, scope: PhantomData }
    }
}

/// A handle to the status of the objects of one kind in one scope.
///
/// Its methods change only the status.
// The methods have no bound on `StatusSubresource`, so that rustc reports a kind without a status once, at `status()`.
pub struct StatusClient<K: Resource, P, Status = <K as StatusSubresource>::Status> {
    endpoint: Endpoint<K>,
    status_mut: StatusMut<K, Status>,
    scope: PhantomData<P>,
}

impl<K: Object, P, Status> StatusClient<K, P, Status> {
    /// Reads the status of an object; returns `None` if it has none yet.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Option<Status>>
    where
        P: SingleObject<K>,
    {
        let Self { endpoint, status_mut, .. } = self;
        Box::pin(async move {
            let request = Request::object(Verb::Get, name).subresource(STATUS);
            let mut object = endpoint.object(&request).await?;
            Ok(status_mut(&mut object).take())
        })
    }

    /// Reads the status of an object; returns `None` if it has none yet, or if no object has this name.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::get_opt`].
    pub fn get_opt<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Option<Status>>
    where
        P: SingleObject<K>,
    {
        let status = self.get(name);
        Box::pin(async { Ok(none_if_not_found(status.await)?.flatten()) })
    }

    /// Changes the status of an object, as [`Resources::update`] changes the object.
    ///
    /// A missing status starts as the default, and is written only if `edit` changes it. This reads the object first.
    /// If you already have the object, [`update_from`](Self::update_from) avoids the read.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn update<'a, C: Mutation + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut Status) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: SingleObject<K>,
        Status: Default,
    {
        let status_mut = self.status_mut;
        self.edit(name, move |object| edit_or_default(object, status_mut, &mut edit))
    }

    /// Changes, adds or removes the status of an object.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn update_opt<'a, C: Mutation + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut Option<Status>) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: SingleObject<K>,
    {
        let status_mut = self.status_mut;
        self.edit(name, move |object| edit(status_mut(object)))
    }

    /// Changes the status of an object that you already have, for example from a lister, as [`Resources::update_from`]
    /// changes the object.
    ///
    /// If nothing changes, nothing is sent. The object is read only if it is out of date, or if a changed list has more
    /// fields in the stored object. A missing status starts as the default, and is written only if `edit` changes it.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use std::sync::Arc;
    /// # async fn example(client: crdkit::Client, web: Arc<Deployment>) -> Result<(), crdkit::client::UpdateError> {
    /// let deployments = client.resources::<Deployment>().all_namespaces();
    /// deployments.status().update_from(&web, |status| status.replicas = Some(3)).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`].
    pub fn update_from<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a K,
        mut edit: impl FnMut(&mut Status) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: Listable<K>,
        Status: Default,
    {
        let status_mut = self.status_mut;
        self.edit_object(object, move |object| edit_or_default(object, status_mut, &mut edit))
    }

    /// Sets a condition, as [`set_condition`] does, with the generation of the object that is read.
    ///
    /// This sends a request even if nothing changes. If you already have the object,
    /// [`set_condition_from`](Self::set_condition_from) avoids it.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn set_condition<'a, Source>(
        &'a self,
        name: &'a str,
        condition: NewCondition,
    ) -> RequestFuture<'a, K, UpdateError>
    where
        P: SingleObject<K>,
        Status: StatusConditions<Source> + Default,
    {
        self.set_conditions(name, [condition])
    }

    /// Sets several conditions at once, each as [`set_condition`](Self::set_condition) does.
    ///
    /// ```no_run
    /// # use crdkit::{client::{StatusClient, UpdateError, scope::InNamespace, Object}, subresource::StatusSubresource};
    /// use crdkit::conditions::{NewCondition, StatusConditions};
    ///
    /// # async fn example<K, Source>(databases: StatusClient<K, InNamespace>) -> Result<(), UpdateError>
    /// # where
    /// #     K: Object + StatusSubresource<Status: StatusConditions<Source> + Default>,
    /// # {
    /// let ready = NewCondition::is_true("Ready", "AllRun");
    /// let degraded = NewCondition::is_false("Degraded", "AllRun");
    /// databases.set_conditions("main", [ready, degraded]).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn set_conditions<'a, Source>(
        &'a self,
        name: &'a str,
        conditions: impl IntoIterator<Item = NewCondition>,
    ) -> RequestFuture<'a, K, UpdateError>
    where
        P: SingleObject<K>,
        Status: StatusConditions<Source> + Default,
    {
        let conditions = Vec::from_iter(conditions);
        let status_mut = self.status_mut;
        self.edit(name, move |object| {
            let generation = object.meta().generation;
            set_all(object, status_mut, &conditions, generation);
        })
    }

    /// Sets a condition of an object that you already have, for example from a lister, as [`set_condition`] does, with
    /// the generation of the given object.
    ///
    /// If nothing changes, nothing is sent. Otherwise this is one request, unless the given object is out of date: then
    /// it is read, so that all other conditions remain unchanged.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`].
    pub fn set_condition_from<'a, Source>(
        &'a self,
        object: &'a K,
        condition: NewCondition,
    ) -> RequestFuture<'a, K, UpdateError>
    where
        P: Listable<K>,
        Status: StatusConditions<Source> + Default,
    {
        self.set_conditions_from(object, [condition])
    }

    /// Sets several conditions at once, each as [`set_condition_from`](Self::set_condition_from) does.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`].
    pub fn set_conditions_from<'a, Source>(
        &'a self,
        object: &'a K,
        conditions: impl IntoIterator<Item = NewCondition>,
    ) -> RequestFuture<'a, K, UpdateError>
    where
        P: Listable<K>,
        Status: StatusConditions<Source> + Default,
    {
        let conditions = Vec::from_iter(conditions);
        // The given object is the observed one, even if the stored object is newer.
        let generation = object.meta().generation;
        let status_mut = self.status_mut;
        self.edit_object(object, move |object| set_all(object, status_mut, &conditions, generation))
    }

    /// Replaces the status of an object with that of `object`, which must have the same name.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::replace`].
    pub fn replace<'a>(&'a self, object: &'a K) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.replace(object, STATUS))
    }

    /// Changes the status with a patch of the object, such as `{ "status": { ... } }`.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::patch`].
    pub fn patch<'a>(&'a self, name: &'a str, patch: &'a Patch) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.patch(name, STATUS, patch))
    }

    /// Applies fields to the status, as part of the object, such as `{ "status": { ... } }`.
    ///
    /// The API server silently drops fields outside the status: apply those to the [object](Resources::apply).
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::apply`]. In contrast to it, a missing object is not created but an error.
    pub fn apply<'a>(&'a self, name: &'a str, fields: &'a (impl Apply<K> + Sync)) -> RequestFuture<'a, K, ApplyError>
    where
        P: SingleObject<K>,
    {
        let applied = self.endpoint.apply(name, STATUS, fields);
        Box::pin(applied.map_ok(|(object, _)| object))
    }

    fn edit<'a, C: Mutation + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>> {
        let clock = &self.endpoint.client.options.clock;
        let updated = self.endpoint.update(name, STATUS, move |object| clock.run(|| edit(object)));
        Box::pin(updated.map_ok(|(object, _)| object))
    }

    fn edit_object<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a K,
        mut edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> RequestFuture<'a, K, UpdateError<C::Error>>
    where
        P: Listable<K>,
    {
        let (endpoint, clock) = (&self.endpoint, &self.endpoint.client.options.clock);
        let edit = move |object: &mut K| clock.run(|| edit(object));
        let updated = endpoint.update_from(object, P::SPANS_NAMESPACES, STATUS, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }
}

/// Returns the status of an object for modification.
type StatusMut<K, Status> = fn(&mut K) -> &mut Option<Status>;

fn set_all<K, Status, Source>(
    object: &mut K,
    status_mut: StatusMut<K, Status>,
    conditions: &[NewCondition],
    generation: Option<i64>,
) where
    K: Object,
    Status: StatusConditions<Source> + Default,
{
    edit_or_default(object, status_mut, |status| {
        for condition in conditions.iter().cloned() {
            let condition = condition.or_observed_generation(generation);
            set_condition(status.list_mut(), condition);
        }
    });
}

/// Changes the status. A missing one starts as the default, and remains missing if `edit` does not change it.
fn edit_or_default<K: Object, Status: Default, C>(
    object: &mut K,
    status_mut: StatusMut<K, Status>,
    edit: impl FnOnce(&mut Status) -> C,
) -> C {
    if let Some(status) = status_mut(object) {
        return edit(status);
    }
    status_mut(object).get_or_insert_default();
    let before = to_value(object);
    let change = edit(status_mut(object).get_or_insert_default());
    let after = to_value(object);
    if matches!((before, after), (Ok(before), Ok(after)) if before == after) {
        *status_mut(object) = None;
    }
    change
}

#[cfg(test)]
mod tests;
