//! Deletes collections of objects.

use std::{
    collections::BTreeSet,
    fmt::Display,
    future::{Future, IntoFuture},
    pin::{Pin, pin},
};

use futures_util::TryStreamExt;
use kube_core::ObjectMeta;

use super::{DeleteOptions, delete_options};
use crate::client::{
    decode::{self, ManagedFields},
    endpoint::{AnyMetadata, Endpoint, JSON},
    error::Error,
    limits::Limit,
    list::ListRequest,
    request::{Query, Request, Verb},
    resources::{Object, Resources},
    scope::Listable,
    selector::Selects,
};

impl<K: Object, P> Resources<K, P> {
    /// Deletes all objects in this scope, or those that labels or fields select.
    ///
    /// The API server deletes the objects of one namespace at a time. In all namespaces, this lists the namespaces with
    /// matching objects and deletes them one after the other.
    pub fn delete_collection(&self) -> DeleteCollection<K>
    where
        P: Listable<K>,
    {
        DeleteCollection {
            endpoint: self.endpoint.clone(),
            by_namespace: P::SPANS_NAMESPACES,
            selection: Query::default(),
            options: DeleteOptions::from_client(&self.endpoint.client),
        }
    }
}

/// A request to delete a collection. Awaiting it deletes the objects and returns their most recent metadata.
///
/// In all namespaces, a failure in one namespace does not stop the others. The first error is returned at the end.
#[must_use = "nothing is deleted until it is awaited"]
pub struct DeleteCollection<K: Object> {
    endpoint: Endpoint<K>,
    by_namespace: bool,
    selection: Query,
    options: DeleteOptions,
}

impl<K: Object> DeleteCollection<K> {
    delete_options!();

    /// Selects objects by labels.
    pub fn labels(mut self, selector: impl Display) -> Self {
        self.selection = self.selection.labels(&selector);
        self
    }

    /// Selects objects by fields.
    pub fn fields(mut self, selector: &str) -> Self {
        self.selection = self.selection.fields(selector);
        self
    }

    /// Selects objects with a [`selector!`](crate::selector), which is checked at compile time.
    pub fn matching(mut self, selector: impl Selects<K>) -> Self {
        self.selection = self.selection.matching(&selector);
        self
    }

    async fn send(self) -> Result<Vec<ObjectMeta>, Error> {
        if !self.by_namespace {
            return self.delete_at(&self.endpoint).await;
        }
        let mut deleted = Vec::new();
        let mut failed = None;
        for namespace in self.namespaces().await? {
            let endpoint = self.endpoint.at(namespace.as_deref());
            match self.delete_at(&endpoint).await {
                Ok(objects) => deleted.extend(objects),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(deleted), Err)
    }

    /// Returns the namespaces that have matching objects; `None` for cluster-scoped objects, whose kind may be
    /// specified at run time.
    async fn namespaces(&self) -> Result<BTreeSet<Option<String>>, Error> {
        let objects = ListRequest::new(self.endpoint.any_metadata()).selection(&self.selection);
        let mut objects = pin!(objects.stream());
        let mut namespaces = BTreeSet::new();
        while let Some(object) = objects.try_next().await? {
            namespaces.insert(object.metadata.namespace);
        }
        Ok(namespaces)
    }

    async fn delete_at(&self, endpoint: &Endpoint<K>) -> Result<Vec<ObjectMeta>, Error> {
        let request = Request::collection(Verb::DeleteCollection).query(self.selection.clone());
        let request = endpoint.with_json(request, JSON, &self.options)?;
        let response = endpoint.fetch(&request).await?;
        if endpoint.is_done(&request, &response)? {
            return Ok(Vec::new());
        }
        // The list is neither paginated nor of a single version.
        let expected = endpoint.expected().without_versions();
        let depth = endpoint.limit(Limit::Depth);
        let retained = ManagedFields::Retained;
        let deleted = decode::page::<AnyMetadata>(&response.body, &expected, retained, depth)
            .map_err(|failure| failure.into_error(endpoint.operation(&request)))?;
        let objects = deleted.items.into_iter();
        Ok(objects.map(|object| object.metadata).collect())
    }
}

impl<K: Object> IntoFuture for DeleteCollection<K> {
    type Output = Result<Vec<ObjectMeta>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Node};
    use kube_core::ApiResource;
    use serde_json::json;

    use super::*;
    use crate::client::{
        dynamic::Unstructured,
        mock::{Mock, Reply},
    };

    fn list(objects: &[(&str, &str)]) -> Reply {
        // An item that does not match the type.
        let data = json!({ "size": 1 });
        let items = objects
            .iter()
            .map(|(namespace, name)| json!({ "metadata": { "namespace": namespace, "name": name }, "data": data }));
        Reply::json(200, json!({ "metadata": {}, "items": items.collect::<Vec<_>>() }))
    }

    #[tokio::test]
    async fn objects_of_a_namespace_are_deleted_together() {
        let mock = Mock::new([list(&[("prod", "a"), ("prod", "b")])]);
        let configs = mock.client().dry_run().resources::<ConfigMap>().namespace("prod");
        let deleted = configs.delete_collection().labels("app=web").await.unwrap();
        assert_eq!(deleted.len(), 2);
        let line = "DELETE /api/v1/namespaces/prod/configmaps?labelSelector=app%3Dweb";
        assert_eq!(mock.lines(), [line]);
        assert_eq!(mock.sent()[0].body, json!({ "dryRun": ["All"] }));
    }

    #[tokio::test]
    async fn only_lists_report_deleted_objects() {
        for odd in [json!({}), json!({ "items": [] }), json!({ "kind": "SecretList", "apiVersion": "v1", "items": [] })]
        {
            let mock = Mock::new([Reply::exactly(200, &odd)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let error = configs.delete_collection().await.unwrap_err();
            assert!(matches!(error, Error::Unexpected { .. }), "{odd}: {error}");
        }
        let mock = Mock::new([Reply::success()]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        assert_eq!(configs.delete_collection().await.unwrap(), []);
    }

    #[tokio::test]
    async fn selectors_narrow_what_is_deleted() {
        let mock = Mock::new([list(&[])]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let deletion = configs.delete_collection().labels("a").fields("b=c");
        deletion.labels("d").fields("e=f").await.unwrap();
        let query = "labelSelector=a%2Cd&fieldSelector=b%3Dc%2Ce%3Df";
        let line = format!("DELETE /api/v1/namespaces/prod/configmaps?{query}");
        assert_eq!(mock.lines(), [line]);
    }

    #[tokio::test]
    async fn objects_of_all_namespaces_are_deleted_per_namespace() {
        let found = list(&[("prod", "a"), ("dev", "b"), ("prod", "c")]);
        let mock = Mock::new([found, list(&[("dev", "b")]), list(&[])]);
        let configs = mock.client().resources::<ConfigMap>().all_namespaces();
        let deleted = configs.delete_collection().fields("a=b").await.unwrap();
        assert_eq!(deleted.len(), 1);
        let deletes = ["dev", "prod"]
            .map(|namespace| format!("DELETE /api/v1/namespaces/{namespace}/configmaps?fieldSelector=a%3Db"));
        assert_eq!(mock.lines()[1..], deletes);
        assert!(mock.sent()[0].accept.contains("as=PartialObjectMetadataList"));
    }
    #[tokio::test]
    async fn failure_in_one_namespace_does_not_stop_the_others() {
        let found = list(&[("dev", "a"), ("prod", "b")]);
        let forbidden = Reply::status(403, "Forbidden", "");
        let mock = Mock::new([found, forbidden, list(&[("prod", "b")])]);
        let configs = mock.client().resources::<ConfigMap>().all_namespaces();
        let error = configs.delete_collection().await.unwrap_err();
        assert!(matches!(error, Error::Forbidden(_)), "{error}");
        assert_eq!(mock.sent().len(), 3);
    }

    #[tokio::test]
    async fn cluster_scoped_objects_are_deleted_together() {
        let object = json!({ "metadata": { "name": "n1" } });
        let found = || Reply::json(200, json!({ "metadata": {}, "items": [object] }));
        let mock = Mock::new([found(), found()]);
        let node = ApiResource::erase::<Node>(&());
        let nodes = mock.client().resources_with::<Unstructured>(node);
        let deleted = nodes.all_namespaces().delete_collection().await.unwrap();
        assert_eq!(deleted[0].name.as_deref(), Some("n1"));
        assert_eq!(mock.lines()[1], "DELETE /api/v1/nodes");
    }
}
