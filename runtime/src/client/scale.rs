//! Reads and sets the scale of objects.

use std::marker::PhantomData;

use k8s_openapi::api::autoscaling::v1::Scale;
use kube_core::Resource;
use serde_json::json;

use super::{
    endpoint::Endpoint,
    error::Error,
    patch::Patch,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    response_kind::ExpectedTypes,
    scope::SingleObject,
};
use crate::resource::subresource::ScaleSubresource;

const SCALE: Option<&str> = Some("scale");

impl<K: Object, P> Resources<K, P> {
    /// Returns a handle to the scale of the objects, if their kind has a scale subresource.
    ///
    /// ```compile_fail,E0277
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn example(client: crdkit::Client) {
    /// client.resources::<ConfigMap>().namespace("default").scale();
    /// # }
    /// ```
    pub fn scale(&self) -> ScaleClient<K, P>
    where
        K: ScaleSubresource,
    {
        ScaleClient { endpoint: self.endpoint.clone(), scope: PhantomData }
    }
}

/// A handle to the scale of the objects of one kind in one scope.
pub struct ScaleClient<K: Resource, P> {
    endpoint: Endpoint<K>,
    scope: PhantomData<P>,
}

impl<K: Object, P> ScaleClient<K, P> {
    /// Reads the scale: the current and the desired number of replicas, and the selector of the replicas.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Scale>
    where
        P: SingleObject<K>,
    {
        let endpoint = &self.endpoint;
        Box::pin(async move {
            let request = Request::object(Verb::Get, name).subresource(SCALE);
            fetch_scale(endpoint, &request).await
        })
    }

    /// Sets the desired number of replicas, which is not sent again after a lost response, like each
    /// [patch](Resources::patch).
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::patch`].
    pub fn set<'a>(&'a self, name: &'a str, replicas: i32) -> RequestFuture<'a, Scale>
    where
        P: SingleObject<K>,
    {
        let patch = Patch::merge(json!({ "spec": { "replicas": replicas } }));
        let endpoint = &self.endpoint;
        Box::pin(async move { patch_scale(endpoint, name, &patch).await })
    }

    /// Patches the scale.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::patch`].
    pub fn patch<'a>(&'a self, name: &'a str, patch: &'a Patch) -> RequestFuture<'a, Scale>
    where
        P: SingleObject<K>,
    {
        Box::pin(patch_scale(&self.endpoint, name, patch))
    }
}

async fn patch_scale<K: Object>(endpoint: &Endpoint<K>, name: &str, patch: &Patch) -> Result<Scale, Error> {
    let request = endpoint.patch_request(name, SCALE, patch)?;
    fetch_scale(endpoint, &request).await
}

async fn fetch_scale<K: Object>(endpoint: &Endpoint<K>, request: &Request<'_>) -> Result<Scale, Error> {
    const EXPECTED: ExpectedTypes = ExpectedTypes::for_objects("autoscaling/v1", "Scale");
    let response = endpoint.fetch(request).await?;
    endpoint.read_as(&EXPECTED, request, &response.body)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;

    use super::*;
    use crate::client::mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    };

    #[tokio::test]
    async fn other_object_is_not_a_scale() {
        let metadata = json!({ "name": "web", "namespace": "prod" });
        let web = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata });
        let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata });
        for odd in in_place_of(&web).into_iter().chain([deployment]) {
            let mock = Mock::new([&odd, &odd, &odd].map(|odd| Reply::exactly(200, odd)));
            let deployments = mock.client().resources::<Deployment>().namespace("prod");
            let scale = deployments.scale();
            let patch = Patch::json(json!([]));
            assert_unexpected(&scale.get("web").await.unwrap_err());
            assert_unexpected(&scale.set("web", 3).await.unwrap_err());
            assert_unexpected(&scale.patch("web", &patch).await.unwrap_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_scale_without_a_response_is_not_set_again() {
        let mock = Mock::new([Reply::lost()]);
        let deployments = mock.client().max_retries(5).resources::<Deployment>().namespace("prod");
        let error = deployments.scale().set("web", 3).await.unwrap_err();
        assert!(error.is_outcome_unknown(), "{error}");
        assert_eq!(mock.sent().len(), 1);
    }

    #[tokio::test]
    async fn the_scale_is_read_and_set() {
        let scale = || Reply::json(200, json!({ "spec": { "replicas": 3 }, "status": { "replicas": 1 } }));
        let mock = Mock::new([scale(), scale()]);
        let deployments = mock.client().resources::<Deployment>().namespace("prod");
        let scale = deployments.scale().get("web").await.unwrap();
        assert_eq!(scale.status.unwrap().replicas, 1);
        let scale = deployments.dry_run().scale().set("web", 3).await.unwrap();
        assert_eq!(scale.spec.unwrap().replicas, Some(3));
        let path = "/apis/apps/v1/namespaces/prod/deployments/web/scale";
        assert_eq!(mock.lines(), [format!("GET {path}"), format!("PATCH {path}?dryRun=All")]);
        let sent = &mock.sent()[1];
        assert_eq!(sent.body, json!({ "spec": { "replicas": 3 } }));
        assert_eq!(sent.content_type, "application/merge-patch+json");
    }
}
