//! Reads and writes the status of objects.

use futures_util::TryFutureExt;
use std::marker::PhantomData;

use super::{
    apply::Apply,
    endpoint::Endpoint,
    error::{ApplyError, UpdateError},
    patch::Patch,
    pending::Pending,
    place::OneObject,
    request::{Request, Verb},
    resources::{Object, Resources},
    update::Change,
};
use crate::{
    conditions::{HasConditions, NewCondition, set_condition},
    subresource::StatusSubresource,
};

const STATUS: Option<&str> = Some("status");

impl<K: Object, P> Resources<K, P> {
    /// The status of the objects, if their kind has one.
    ///
    /// ```compile_fail,E0277
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<ConfigMap>().namespace("default").status();
    /// # }
    /// ```
    pub fn status(&self) -> StatusOf<K, P>
    where
        K: StatusSubresource,
    {
        StatusOf {
            endpoint: self.endpoint.clone(),
            place: PhantomData,
        }
    }
}

/// The status of the objects of one kind in one place.
///
/// What its methods send changes nothing but the status.
pub struct StatusOf<K: StatusSubresource, P> {
    endpoint: Endpoint<K>,
    place: PhantomData<P>,
}

impl<K: Object + StatusSubresource, P> StatusOf<K, P> {
    /// Reads the status of an object; `None` if it has none yet.
    ///
    /// # Errors
    ///
    /// As for [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> Pending<'a, Option<K::Status>>
    where
        P: OneObject<K>,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = Request::object(Verb::Get, name).subresource(STATUS);
            let mut object: K = endpoint.object(&request).await?;
            Ok(object.status_mut().take())
        })
    }

    /// Changes the status of an object as [`Resources::update`] changes the object. One that is not there yet begins as
    /// the default.
    ///
    /// # Errors
    ///
    /// As for [`Resources::update`].
    pub fn update<'a, C: Change + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut K::Status) -> C + Send + 'a,
    ) -> Pending<'a, K, UpdateError<C::Error>>
    where
        P: OneObject<K>,
        K::Status: Default,
    {
        self.update_opt(name, move |status| edit(status.get_or_insert_default()))
    }

    /// Changes the status of an object, which may not be there yet, or may be taken away.
    ///
    /// # Errors
    ///
    /// As for [`Resources::update`].
    pub fn update_opt<'a, C: Change + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut Option<K::Status>) -> C + Send + 'a,
    ) -> Pending<'a, K, UpdateError<C::Error>>
    where
        P: OneObject<K>,
    {
        self.edit(name, move |object| edit(object.status_mut()))
    }

    /// Sets a condition as [`set_condition`] does, of the generation that the object has when it is read.
    ///
    /// # Errors
    ///
    /// As for [`Resources::update`].
    pub fn set_condition<'a>(
        &'a self,
        name: &'a str,
        condition: NewCondition,
    ) -> Pending<'a, K, UpdateError>
    where
        P: OneObject<K>,
        K::Status: HasConditions + Default,
    {
        self.edit(name, move |object| {
            let generation = object.meta().generation;
            let condition = condition.clone().or_observed_generation(generation);
            let status = object.status_mut().get_or_insert_default();
            set_condition(status.conditions_mut(), condition);
        })
    }

    /// Replaces the status of an object by that of another of the same name.
    ///
    /// # Errors
    ///
    /// As for [`Resources::replace`].
    pub fn replace<'a>(&'a self, object: &'a K) -> Pending<'a, K>
    where
        P: OneObject<K>,
    {
        Box::pin(self.endpoint.replace(object, STATUS))
    }

    /// Changes the status of an object by a patch of the object, such as `{ "status": { ... } }`.
    ///
    /// # Errors
    ///
    /// As for [`Resources::patch`].
    pub fn patch<'a>(&'a self, name: &'a str, patch: &'a Patch) -> Pending<'a, K>
    where
        P: OneObject<K>,
    {
        Box::pin(self.endpoint.patch(name, STATUS, patch))
    }

    /// Applies fields to the status of an object, as a part of the object, such as `{ "status": { ... } }`.
    ///
    /// # Errors
    ///
    /// As for [`Resources::apply`], but an object that is not there is not created.
    pub fn apply<'a>(
        &'a self,
        name: &'a str,
        fields: &'a (impl Apply<K> + Sync),
    ) -> Pending<'a, K, ApplyError>
    where
        P: OneObject<K>,
    {
        let applied = self.endpoint.apply(name, STATUS, fields);
        Box::pin(applied.map_ok(|(object, _)| object))
    }

    fn edit<'a, C: Change + 'a>(
        &'a self,
        name: &'a str,
        edit: impl FnMut(&mut K) -> C + Send + 'a,
    ) -> Pending<'a, K, UpdateError<C::Error>> {
        let updated = self.endpoint.update(name, STATUS, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{
        api::apps::v1::Deployment, api::policy::v1::PodDisruptionBudget,
        apimachinery::pkg::apis::meta::v1::Condition,
    };
    use serde_json::{Value, json};

    use super::*;
    use crate::client::{
        mock::{Mock, Reply},
        place::InNamespace,
    };

    fn deployment(status: Value) -> Reply {
        let metadata = json!({ "name": "web", "resourceVersion": "7", "generation": 3 });
        Reply::json(200, json!({ "metadata": metadata, "status": status }))
    }

    fn deployments(mock: &Mock) -> Resources<Deployment, InNamespace> {
        mock.client().resources().namespace("prod")
    }

    #[tokio::test]
    async fn only_the_change_is_sent_to_the_status() {
        let mock = Mock::new([
            deployment(json!({ "replicas": 1, "new": 2 })),
            deployment(json!({})),
        ]);
        let status = deployments(&mock).status();
        status
            .update("web", |status| status.replicas = Some(2))
            .await
            .unwrap();
        let path = "/apis/apps/v1/namespaces/prod/deployments/web";
        assert_eq!(
            mock.lines(),
            [format!("GET {path}"), format!("PATCH {path}/status")]
        );
        let patch = json!({ "metadata": { "resourceVersion": "7" }, "status": { "replicas": 2 } });
        assert_eq!(mock.sent()[1].body, patch);
    }

    #[tokio::test]
    async fn a_status_may_be_taken_away() {
        let mock = Mock::new([deployment(json!({ "replicas": 1 })), deployment(json!({}))]);
        let status = deployments(&mock).status();
        status
            .update_opt("web", |status| *status = None)
            .await
            .unwrap();
        assert_eq!(mock.sent()[1].body["status"], Value::Null);
        assert!(mock.sent()[1].body.get("status").is_some());
    }

    #[tokio::test]
    async fn what_is_as_it_was_is_not_sent() {
        let mock = Mock::new([deployment(json!({ "replicas": 1 }))]);
        let status = deployments(&mock).status();
        status
            .update("web", |status| status.replicas = Some(1))
            .await
            .unwrap();
        assert_eq!(mock.sent().len(), 1);
    }

    #[tokio::test]
    async fn the_status_alone_is_read() {
        let mock = Mock::new([deployment(json!({ "replicas": 1 }))]);
        let status = deployments(&mock).status().get("web").await.unwrap();
        assert_eq!(status.unwrap().replicas, Some(1));
        let path = "GET /apis/apps/v1/namespaces/prod/deployments/web/status";
        assert_eq!(mock.lines(), [path]);
    }

    impl HasConditions for k8s_openapi::api::policy::v1::PodDisruptionBudgetStatus {
        fn conditions_mut(&mut self) -> &mut Vec<Condition> {
            self.conditions.get_or_insert_default()
        }
    }

    #[tokio::test]
    async fn conditions_know_the_generation() {
        let mock = Mock::new([deployment(Value::Null), deployment(Value::Null)]);
        let budgets = mock
            .client()
            .resources::<PodDisruptionBudget>()
            .namespace("prod");
        let condition = NewCondition::is_true("Ready", "Enough");
        budgets
            .status()
            .set_condition("web", condition)
            .await
            .unwrap();
        let sent = mock.sent()[1].body["status"]["conditions"][0].clone();
        assert_eq!(sent["observedGeneration"], 3);
        assert_eq!(sent["status"], "True");
    }
}
