//! Reads objects without their content.

use kube_core::PartialObjectMeta;

use super::{
    endpoint::Endpoint,
    get::found,
    list::ListRequest,
    pending::Pending,
    place::{Collection, OneObject},
    resources::{Object, Resources},
    watch::WatchRequest,
};

impl<K: Object, P> Resources<K, P> {
    /// The metadata of the objects: names, labels, owners and the like, without what is in the objects.
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
    pub fn metadata(&self) -> Metadata<K, P> {
        Metadata {
            endpoint: self.endpoint.metadata(),
            place: std::marker::PhantomData,
        }
    }
}

/// The metadata of the objects of one kind in one place.
pub struct Metadata<K: Object, P> {
    endpoint: Endpoint<PartialObjectMeta<K>>,
    place: std::marker::PhantomData<P>,
}

impl<K: Object, P> Metadata<K, P> {
    /// Reads the metadata of an object.
    ///
    /// # Errors
    ///
    /// As for [`Resources::get`].
    pub fn get<'a>(&'a self, name: &'a str) -> Pending<'a, PartialObjectMeta<K>>
    where
        P: OneObject<K>,
    {
        Box::pin(self.endpoint.get(name))
    }

    /// Reads the metadata of an object; `None` if there is none of this name.
    ///
    /// # Errors
    ///
    /// As for [`Resources::get_opt`].
    pub fn get_opt<'a>(&'a self, name: &'a str) -> Pending<'a, Option<PartialObjectMeta<K>>>
    where
        P: OneObject<K>,
    {
        let object = self.endpoint.get(name);
        Box::pin(async { found(object.await) })
    }

    /// Reads the metadata of the objects, in pages.
    pub fn list(&self) -> ListRequest<PartialObjectMeta<K>>
    where
        P: Collection<K>,
    {
        ListRequest::new(self.endpoint.clone())
    }

    /// Follows changes of the objects and tells their metadata.
    pub fn watch(&self) -> WatchRequest<PartialObjectMeta<K>>
    where
        P: Collection<K>,
    {
        WatchRequest::new(self.endpoint.clone())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use serde_json::json;

    use crate::client::mock::{Mock, Reply};

    #[tokio::test]
    async fn only_metadata_is_asked_for() {
        let object = json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": { "name": "a" },
        });
        let list = json!({ "metadata": {}, "items": [object] });
        let mock = Mock::new([Reply::json(200, object.clone()), Reply::json(200, list)]);
        let pods = mock
            .client()
            .resources::<Pod>()
            .namespace("prod")
            .metadata();
        let pod = pods.get("a").await.unwrap();
        assert_eq!(pod.metadata.name.as_deref(), Some("a"));
        assert_eq!(pods.list().await.unwrap().items.len(), 1);
        let [get, list] = mock.sent().try_into().unwrap();
        assert_eq!(get.line, "GET /api/v1/namespaces/prod/pods/a");
        assert_eq!(
            get.accept,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
        );
        assert_eq!(
            list.accept,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        );
    }
}
