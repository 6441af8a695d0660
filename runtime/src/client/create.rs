//! Creates objects.

use super::{
    endpoint::{Endpoint, JSON},
    error::Error,
    pending::Pending,
    place::OneObject,
    request::{Request, Verb},
    resources::{Object, Resources},
};

impl<K: Object, P> Resources<K, P> {
    /// Creates an object, and returns it as the API server keeps it.
    ///
    /// `metadata.generateName` in place of a name lets the API server choose one.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if there is one of this name, [`Error::Invalid`] if it breaks rules of its schema,
    /// [`Error::NotFound`] if there is no such namespace, and those of every request.
    pub fn create<'a>(&'a self, object: &'a K) -> Pending<'a, K>
    where
        P: OneObject<K>,
    {
        Box::pin(self.endpoint.create(object))
    }

    /// Replaces an object by another of the same name, and returns it as the API server keeps it.
    ///
    /// Fields that `K` does not know are lost; [`update`](Self::update) keeps them. If the object has a
    /// `metadata.resourceVersion`, nobody may have changed it since.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if somebody has, [`Error::Invalid`] if the object breaks rules of its schema,
    /// [`Error::Nameless`], and those of every request.
    pub fn replace<'a>(&'a self, object: &'a K) -> Pending<'a, K>
    where
        P: OneObject<K>,
    {
        Box::pin(self.endpoint.replace(object, None))
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn create(&self, object: &K) -> Result<K, Error> {
        let request = Request::collection(Verb::Create).query(self.client.options.of_write());
        let request = self.with_json(request, JSON, object)?;
        let created = self.object(&request).await?;
        let name = object
            .meta()
            .name
            .as_deref()
            .filter(|name| !name.is_empty());
        // Reviews of access and the like have none in the end.
        if name.is_some() && created.meta().name.is_some() {
            self.check_identity(&Request { name, ..request }, created.meta())?;
        }
        Ok(created)
    }

    pub(crate) async fn replace(
        &self,
        object: &K,
        subresource: Option<&'static str>,
    ) -> Result<K, Error> {
        let name = self.name_of(object)?;
        let request = Request::object(Verb::Update, name).subresource(subresource);
        let request = request.query(self.client.options.of_write());
        self.object(&self.with_json(request, JSON, object)?).await
    }

    pub(crate) fn name_of<'a>(&self, object: &'a K) -> Result<&'a str, Error> {
        object
            .meta()
            .name
            .as_deref()
            .ok_or_else(|| Error::Nameless {
                target: Box::new(self.target(&Request::collection(Verb::Update))),
            })
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube_core::ObjectMeta;
    use serde_json::json;

    use crate::client::{
        Error, FieldValidation,
        mock::{Mock, Reply},
    };

    fn config() -> ConfigMap {
        ConfigMap {
            metadata: ObjectMeta {
                name: Some("web".into()),
                ..Default::default()
            },
            ..Default::default()
        }
    }

    fn kept() -> Reply {
        Reply::json(201, json!({ "metadata": { "name": "web", "uid": "u" } }))
    }

    #[tokio::test]
    async fn objects_are_created_with_the_options_of_the_handle() {
        let mock = Mock::new([kept(), kept()]);
        let configs = mock.client().field_manager("me").resources::<ConfigMap>();
        let configs = configs.namespace("prod");
        let created = configs.create(&config()).await.unwrap();
        assert_eq!(created.metadata.uid.as_deref(), Some("u"));
        let strict = configs.dry_run();
        let strict = strict.field_validation(FieldValidation::Strict);
        strict.create(&config()).await.unwrap();
        let path = "POST /api/v1/namespaces/prod/configmaps?";
        let first = format!("{path}fieldManager=me");
        let second = format!("{path}dryRun=All&fieldManager=me&fieldValidation=Strict");
        assert_eq!(mock.lines(), [first, second]);
        let sent = mock.sent().remove(0);
        assert_eq!(sent.content_type, "application/json");
        let body =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" } });
        assert_eq!(sent.body, body);
    }

    #[tokio::test]
    async fn objects_are_replaced_by_their_name() {
        let mock = Mock::new([kept()]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.replace(&config()).await.unwrap();
        assert_eq!(mock.lines(), ["PUT /api/v1/namespaces/prod/configmaps/web"]);
    }

    #[tokio::test]
    async fn what_was_written_is_what_comes_back() {
        let other = |name: &str, kind: &str| json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name } });
        for odd in [other("db", "ConfigMap"), other("web", "Secret"), json!({})] {
            let odd = || Reply::exactly(200, &odd);
            let mock = Mock::new([odd(), odd()]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let created = configs.create(&config()).await.unwrap_err();
            let replaced = configs.replace(&config()).await.unwrap_err();
            for error in [created, replaced] {
                assert!(matches!(error, Error::Unexpected { .. }), "{error}");
            }
        }
        let named = Reply::exactly(201, &other("web-x7", "ConfigMap"));
        let mock = Mock::new([named]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let mut config = ConfigMap::default();
        config.metadata.generate_name = Some("web-".into());
        configs.create(&config).await.unwrap();
    }

    #[tokio::test]
    async fn an_object_without_a_name_replaces_none() {
        let mock = Mock::new([]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let error = configs.replace(&ConfigMap::default()).await.unwrap_err();
        let message = "cannot replace configmaps in namespace `prod`: the object has no name: set `metadata.name`";
        assert_eq!(error.to_string(), message);
    }
}
