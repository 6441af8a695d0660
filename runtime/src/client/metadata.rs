//! Reads and changes the metadata of objects.

use futures_util::TryFutureExt;
use kube_core::{ObjectMeta, PartialObjectMeta};

use super::{
    endpoint::Endpoint,
    error::UpdateError,
    get::none_if_not_found,
    list::ListRequest,
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::{Listable, SingleObject},
    update::Mutation,
    watch::WatchRequest,
};

impl<K: Object, P> Resources<K, P> {
    /// Returns a handle to the metadata of the objects: names, labels, owners and so on, without the rest of the
    /// objects.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
    /// let secrets = client.resources::<Secret>().all_namespaces();
    /// for secret in secrets.metadata().list().await? {
    ///     println!("{:?}", secret.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn metadata(&self) -> MetadataClient<K, P> {
        MetadataClient { endpoint: self.endpoint.metadata(), scope: std::marker::PhantomData }
    }
}

/// A handle to the metadata of the objects of one kind in one scope.
pub struct MetadataClient<K: Object, P> {
    endpoint: Endpoint<PartialObjectMeta<K>>,
    scope: std::marker::PhantomData<P>,
}

impl<K: Object, P> MetadataClient<K, P> {
    /// Reads the metadata of an object.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> RequestFuture<'a, PartialObjectMeta<K>>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.get(name))
    }

    /// Reads the metadata of an object; returns `None` if no object has this name.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::get_opt`].
    pub fn get_opt<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Option<PartialObjectMeta<K>>>
    where
        P: SingleObject<K>,
    {
        let object = self.endpoint.get(name);
        Box::pin(async { none_if_not_found(object.await) })
    }

    /// Changes the metadata of an object, such as its labels, as [`Resources::update`] changes the object.
    ///
    /// Only the metadata is read, and only the changes are sent.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::UpdateError> {
    /// let secrets = client.resources::<Secret>().namespace("default").metadata();
    /// secrets
    ///     .update("web", |metadata| {
    ///         metadata.labels.get_or_insert_default().insert("app".into(), "web".into());
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update`].
    pub fn update<'a, C: Mutation + 'a>(
        &'a self,
        name: &'a str,
        mut edit: impl FnMut(&mut ObjectMeta) -> C + Send + 'a,
    ) -> RequestFuture<'a, PartialObjectMeta<K>, UpdateError<C::Error>>
    where
        P: SingleObject<K>,
    {
        let edit = move |object: &mut PartialObjectMeta<K>| edit(&mut object.metadata);
        let updated = self.endpoint.update(name, None, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }

    /// Changes the metadata of an object, starting from metadata that you already have, for example from an informer of
    /// metadata.
    ///
    /// Like [`Resources::update_from`], it sends nothing if nothing changes.
    ///
    /// # Errors
    ///
    /// The same as for [`Resources::update_from`].
    pub fn update_from<'a, C: Mutation + 'a>(
        &'a self,
        object: &'a PartialObjectMeta<K>,
        mut edit: impl FnMut(&mut ObjectMeta) -> C + Send + 'a,
    ) -> RequestFuture<'a, PartialObjectMeta<K>, UpdateError<C::Error>>
    where
        P: Listable<K>,
    {
        let edit = move |object: &mut PartialObjectMeta<K>| edit(&mut object.metadata);
        let endpoint = &self.endpoint;
        let updated = endpoint.update_from(object, P::SPANS_NAMESPACES, None, edit);
        Box::pin(updated.map_ok(|(object, _)| object))
    }

    /// Lists the metadata of the objects, in pages.
    pub fn list(&self) -> ListRequest<PartialObjectMeta<K>>
    where
        P: Listable<K>,
    {
        ListRequest::new(self.endpoint.clone())
    }

    /// Watches the metadata of the objects.
    pub fn watch(&self) -> WatchRequest<PartialObjectMeta<K>>
    where
        P: Listable<K>,
    {
        WatchRequest::new(self.endpoint.clone())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use serde_json::json;

    use super::*;
    use crate::client::mock::{Mock, Reply};

    #[tokio::test]
    async fn only_metadata_is_requested() {
        let object = json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": { "name": "a" },
        });
        let list = json!({ "metadata": {}, "items": [object] });
        let mock = Mock::new([Reply::json(200, object.clone()), Reply::json(200, list)]);
        let pods = mock.client().resources::<Pod>().namespace("prod").metadata();
        let pod = pods.get("a").await.unwrap();
        assert_eq!(pod.metadata.name.as_deref(), Some("a"));
        assert_eq!(pods.list().await.unwrap().items.len(), 1);
        let [get, list] = mock.sent().try_into().unwrap();
        assert_eq!(get.line, "GET /api/v1/namespaces/prod/pods/a");
        assert_eq!(get.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
        assert_eq!(list.accept, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    }

    #[tokio::test]
    async fn metadata_is_changed_without_the_rest() {
        let object = json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
            "metadata": { "name": "a", "namespace": "prod", "uid": "1", "resourceVersion": "7" },
        });
        let mock = Mock::new([0; 3].map(|_| Reply::json(200, object.clone())));
        let pods = mock.client().resources::<Pod>().namespace("prod").metadata();
        let label = |metadata: &mut ObjectMeta| {
            metadata.labels = Some([("app".into(), "web".into())].into());
        };
        pods.update("a", label).await.unwrap();
        let given_object: PartialObjectMeta<Pod> = serde_json::from_value(object.clone()).unwrap();
        pods.update_from(&given_object, label).await.unwrap();
        pods.update_from(&given_object, |_| ()).await.unwrap();
        let path = "/api/v1/namespaces/prod/pods/a";
        let lines = ["GET", "PATCH", "PATCH"].map(|method| format!("{method} {path}"));
        assert_eq!(mock.lines(), lines);
        for sent in &mock.sent()[1..] {
            let patch = json!({ "metadata": { "resourceVersion": "7", "labels": { "app": "web" } } });
            assert_eq!(sent.body, patch);
            assert!(sent.accept.contains("as=PartialObjectMetadata;"));
        }
    }
}
