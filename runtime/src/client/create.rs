//! Creates and replaces objects.

use crdkit_core::text::floor_char_boundary;
use kube_core::ObjectMeta;

use super::{
    endpoint::{Endpoint, JSON, RequestTarget, describe, non_empty},
    error::{Error, Mismatch},
    last_read::LastRead,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
};

impl<K: Object, P> Resources<K, P> {
    /// Creates an object and returns the stored object.
    ///
    /// If `metadata.generateName` is set and the name is not, the API server generates a name.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if an object with this name exists, [`Error::Invalid`] if the object violates its
    /// schema, [`Error::NotFound`] if the namespace does not exist, and the errors common to all requests.
    pub fn create<'a>(&'a self, object: &'a K) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.create(object))
    }

    /// Replaces an object with another of the same name and returns the stored object.
    ///
    /// Fields that `K` does not declare are lost; [`update`](Self::update) preserves them. A `metadata.resourceVersion`
    /// in the object is a precondition: the stored object must still be at this version.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the stored object has changed since, [`Error::Invalid`] if the object violates its
    /// schema, [`Error::MissingName`], and the errors common to all requests.
    pub fn replace<'a>(&'a self, object: &'a K) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.replace(object, None))
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn create(&self, object: &K) -> Result<K, Error> {
        let request = Request::create(object.meta()).query(self.client.options.write_query());
        let request = self.with_json(request, JSON, object)?;
        let created = self.object(&request).await?;
        self.check_created(&request, object.meta(), created.meta())?;
        Ok(created)
    }

    pub(crate) async fn replace(&self, object: &K, subresource: Option<&'static str>) -> Result<K, Error> {
        let name = self.name_of(Verb::Update, object)?;
        let request = Request::object(Verb::Update, name)
            .subresource(subresource)
            .known(LastRead::of(object.meta()))
            .query(self.client.options.write_query());
        self.object(&self.with_json(request, JSON, object)?).await
    }

    pub(crate) fn name_of<'a>(&self, verb: Verb, object: &'a K) -> Result<&'a str, Error> {
        object
            .meta()
            .name
            .as_deref()
            .ok_or_else(|| Error::MissingName { operation: Box::new(self.operation(&Request::collection(verb))) })
    }
}

impl RequestTarget {
    /// Checks that the returned object is the created one.
    fn check_created(&self, request: &Request<'_>, sent: &ObjectMeta, received: &ObjectMeta) -> Result<(), Error> {
        let prefix = non_empty(&sent.generate_name).map(generated_prefix);
        let name = match (non_empty(&sent.name), non_empty(&received.name), prefix) {
            (Some(name), _, _) => name,
            // SelfSubjectAccessReviews and similar kinds have no name.
            (None, None, None) => return Ok(()),
            (None, Some(name), prefix) if name.starts_with(prefix.unwrap_or_default()) => name,
            (None, _, prefix) => {
                let prefix = prefix.unwrap_or_default().escape_debug();
                let expected = format!("an object whose name begins with `{prefix}`");
                return Err(self.unexpected(request, Mismatch::new(expected, describe(received))));
            }
        };
        let request = Request { name: Some(name), ..request.clone() };
        self.check_identity(&request, received)
    }
}

/// Returns the prefix of a generated name. The API server truncates it so that a suffix of five characters fits into
/// 63.
fn generated_prefix(prefix: &str) -> &str {
    &prefix[..floor_char_boundary(prefix, 58)]
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{authorization::v1::SelfSubjectAccessReview, core::v1::ConfigMap};
    use serde_json::{Value, json};

    use super::*;
    use crate::client::{
        FieldValidation,
        mock::{
            Mock, Reply,
            unexpected::{assert_unexpected, in_place_of},
        },
    };

    fn config() -> ConfigMap {
        ConfigMap { metadata: ObjectMeta { name: Some("web".into()), ..Default::default() }, ..Default::default() }
    }

    fn stored() -> Reply {
        Reply::json(201, json!({ "metadata": { "name": "web", "uid": "u" } }))
    }

    #[tokio::test]
    async fn objects_are_created_with_the_options_of_the_handle() {
        let mock = Mock::new([stored(), stored()]);
        let configs = mock.client().field_manager("me").resources::<ConfigMap>().namespace("prod");
        let created = configs.create(&config()).await.unwrap();
        assert_eq!(created.metadata.uid.as_deref(), Some("u"));
        let strict = configs.dry_run().field_validation(FieldValidation::Strict);
        strict.create(&config()).await.unwrap();
        let path = "POST /api/v1/namespaces/prod/configmaps?";
        let first = format!("{path}fieldManager=me");
        let second = format!("{path}dryRun=All&fieldManager=me&fieldValidation=Strict");
        assert_eq!(mock.lines(), [first, second]);
        let sent = mock.sent().remove(0);
        assert_eq!(sent.content_type, "application/json");
        let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" } });
        assert_eq!(sent.body, body);
    }

    #[tokio::test]
    async fn errors_name_the_object_or_its_prefix() {
        for (name, prefix, expected) in [
            (Some("web"), None, "cannot create ConfigMap `web` in namespace `prod`"),
            (Some("web"), Some("db-"), "cannot create ConfigMap `web` in namespace `prod`"),
            (Some(""), Some("web-"), "cannot create a ConfigMap with generateName `web-` in namespace `prod`"),
            (None, Some("a\nb"), "cannot create a ConfigMap with generateName `a\\nb` in namespace `prod`"),
            (Some("a\nb"), None, "cannot create ConfigMap `a\\nb` in namespace `prod`"),
            (None, None, "cannot create a ConfigMap in namespace `prod`"),
        ] {
            let mut config = ConfigMap::default();
            config.metadata.name = name.map(str::to_owned);
            config.metadata.generate_name = prefix.map(str::to_owned);
            let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 409 });
            let mock = Mock::new([Reply::json(409, status)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let error = configs.create(&config).await.unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
            assert_eq!(mock.lines(), ["POST /api/v1/namespaces/prod/configmaps"]);
        }
    }

    #[tokio::test]
    async fn objects_are_replaced_by_their_name() {
        let mock = Mock::new([stored()]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.replace(&config()).await.unwrap();
        assert_eq!(mock.lines(), ["PUT /api/v1/namespaces/prod/configmaps/web"]);
    }

    fn web() -> Value {
        let metadata = json!({ "name": "web", "namespace": "prod", "uid": "u" });
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })
    }

    #[tokio::test]
    async fn response_must_be_the_created_object() {
        for odd in in_place_of(&web()) {
            let mock = Mock::new([Reply::exactly(201, &odd)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            assert_unexpected(&configs.create(&config()).await.unwrap_err());
        }
        let mock = Mock::new([Reply::exactly(201, &web())]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.create(&config()).await.unwrap();
    }

    #[tokio::test]
    async fn generated_names_have_the_prefix() {
        let mut config = ConfigMap::default();
        for (prefix, name, is_right) in [
            ("web-", json!("web-x7"), true),
            ("web-", json!("db-x7"), false),
            ("web-", Value::Null, false),
            (&*"w".repeat(70), json!(format!("{}x7x7x", "w".repeat(58))), true),
        ] {
            let mut response = web();
            response["metadata"]["name"] = name;
            let elsewhere = {
                let mut response = response.clone();
                response["metadata"]["namespace"] = json!("dev");
                response
            };
            let mock = Mock::new([response, elsewhere].map(|response| Reply::exactly(201, &response)));
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            config.metadata.generate_name = Some(prefix.to_owned());
            match configs.create(&config).await {
                Ok(_) => assert!(is_right, "{prefix}"),
                Err(error) if is_right => panic!("{error}"),
                Err(error) => assert_unexpected(&error),
            }
            assert_unexpected(&configs.create(&config).await.unwrap_err());
        }
    }

    #[tokio::test]
    async fn reviews_have_no_name() {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {},
            "spec": {}, "status": { "allowed": true },
        });
        let mock = Mock::new([Reply::exactly(201, &review)]);
        let reviews = mock.client().resources::<SelfSubjectAccessReview>();
        let review = reviews.create(&SelfSubjectAccessReview::default()).await.unwrap();
        assert!(review.status.unwrap().allowed);
    }

    #[tokio::test]
    async fn response_must_be_the_replaced_object() {
        for odd in in_place_of(&web()) {
            let mock = Mock::new([Reply::exactly(200, &odd)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            assert_unexpected(&configs.replace(&config()).await.unwrap_err());
        }
        let mock = Mock::new([Reply::exactly(200, &web())]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.replace(&config()).await.unwrap();
    }

    #[tokio::test]
    async fn object_without_a_name_cannot_be_replaced() {
        let mock = Mock::new([]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let error = configs.replace(&ConfigMap::default()).await.unwrap_err();
        let message = "cannot replace configmaps in namespace `prod`: the object has no name: set `metadata.name`";
        assert_eq!(error.to_string(), message);
    }
}
