//! Server-side apply: sets the fields of a manager and leaves all other fields unchanged.

use futures_util::TryFutureExt;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    endpoint::Endpoint,
    error::{ApplyError, Error, JsonError},
    last_read::LastRead,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
    update::OperationResult,
};
pub(super) use crate::apply::{Unchecked, traits::Apply};
use crate::json::json_value::to_value;

const APPLY: &str = "application/apply-patch+yaml";

impl<K: Object, P> Resources<K, P> {
    /// Applies fields to an object and returns the stored object. Creates the object if it does not exist.
    ///
    /// Afterwards the [field manager](Self::field_manager) owns the fields. Fields that it applied before and no longer
    /// applies are removed. If the kind has a status subresource, the API server silently drops a status that is
    /// applied here: apply it to the [status](crate::client::StatusClient::apply) instead.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use serde_json::json;
    /// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::ApplyError> {
    /// let client = client.field_manager("scaler");
    /// let deployments = client.resources::<Deployment>().namespace("default");
    /// deployments.apply("web", &json!({ "spec": { "replicas": 3 } })).await?;
    ///
    /// let config = ConfigMap {
    ///     data: Some([("size".to_owned(), "3".to_owned())].into()),
    ///     ..ConfigMap::default()
    /// };
    /// client.resources::<ConfigMap>().namespace("default").apply("web", &config).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Objects of Kubernetes' own types are applied as they are. An object that was read also contains the fields of
    /// other managers, and applying it takes ownership of all of them. To change some fields of such an object,
    /// [`update`](Self::update) it. Its `metadata.managedFields` are omitted, because the API server rejects them. Its
    /// `metadata.resourceVersion` and `uid` are preconditions: if the object is gone or has changed since, nothing is
    /// applied, and the error is [`Error::Conflict`]. Without them, there are no preconditions.
    ///
    /// This always sends one request, even if nothing changes: only the API server can compare.
    ///
    /// # Errors
    ///
    /// [`Error::Encode`] if the fields contain a different name, [`ApplyError::Conflicts`] if other managers own them,
    /// unless the handle [forces](Self::force) the apply, [`ApplyError::NoFieldManager`] if no field manager is set,
    /// and the errors common to all requests.
    pub fn apply<'a>(&'a self, name: &'a str, fields: &'a (impl Apply<K> + Sync)) -> RequestFuture<'a, K, ApplyError>
    where
        P: SingleObject<K>,
    {
        let applied = self.endpoint.apply(name, None, fields);
        Box::pin(applied.map_ok(|(object, _)| object))
    }

    /// Applies fields like [`apply`](Self::apply) and also returns whether the object was created.
    ///
    /// # Errors
    ///
    /// The same as for [`apply`](Self::apply).
    pub fn create_or_apply<'a>(
        &'a self,
        name: &'a str,
        fields: &'a (impl Apply<K> + Sync),
    ) -> RequestFuture<'a, (K, OperationResult), ApplyError>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.apply(name, None, fields))
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn apply(
        &self,
        name: &str,
        subresource: Option<&'static str>,
        fields: &impl Serialize,
    ) -> Result<(K, OperationResult), ApplyError> {
        let options = &self.client.options;
        let request = Request::object(Verb::Patch, name).subresource(subresource);
        if options.field_manager.is_none() {
            let operation = Box::new(self.operation(&request));
            return Err(ApplyError::NoFieldManager { operation });
        }
        let request = request.query(options.apply_query()).repeatable();
        let content = self.apply_configuration(name, fields).map_err(|error| self.encode_error(&request, error))?;
        let request = self.with_json(request, APPLY, &content)?.known(LastRead::of_json(&content));
        let response = self.fetch(&request).await.map_err(ApplyError::from)?;
        let outcome = match response.code {
            StatusCode::CREATED => OperationResult::Created,
            _ => OperationResult::Updated,
        };
        Ok((self.read(&request, &response.body)?, outcome))
    }

    /// Returns the fields with the type and name of the object.
    fn apply_configuration(&self, name: &str, fields: &impl Serialize) -> Result<Value, JsonError> {
        let mut object = to_value(fields)?;
        let Value::Object(members) = &mut object else {
            return Err(JsonError::plain("it is not an object"));
        };
        members.insert("apiVersion".into(), K::api_version(self.kind()).into());
        members.insert("kind".into(), K::kind(self.kind()).into());
        set_identity(members.entry("metadata").or_insert_with(|| json!({})), name)?;
        Ok(object)
    }
}

/// Sets the name, and removes the managed fields, which only the API server writes.
fn set_identity(metadata: &mut Value, name: &str) -> Result<(), JsonError> {
    if metadata.is_null() {
        *metadata = json!({});
    }
    let Some(members) = metadata.as_object_mut() else {
        return Err(JsonError::plain("its `metadata` is not an object"));
    };
    members.remove("managedFields");
    match members.insert("name".into(), name.into()) {
        Some(Value::String(other)) if other != name => {
            Err(JsonError::plain(format!("its `metadata.name` is {other:?}, not {name:?}")))
        }
        Some(other) if !other.is_null() && other != name => {
            Err(JsonError::plain("its `metadata.name` is not a string"))
        }
        _ => Ok(()),
    }
}

impl From<Error> for ApplyError {
    fn from(error: Error) -> Self {
        match error {
            Error::Conflict(status_error) if status_error.has_field_conflicts() => Self::Conflicts(status_error),
            error => Self::Request(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::client::{
        mock::{
            Mock, Reply,
            unexpected::{assert_unexpected, in_place_of},
        },
        scope::InNamespace,
    };

    fn configs(mock: &Mock) -> Resources<ConfigMap, InNamespace> {
        let client = mock.client().field_manager("me");
        client.resources().namespace("prod")
    }

    fn stored(code: u16) -> Reply {
        Reply::json(code, json!({ "metadata": { "name": "web" } }))
    }

    #[tokio::test]
    async fn only_set_fields_are_sent() {
        let mock = Mock::new([stored(200), stored(200)]);
        let fields = json!({ "data": { "size": "1" } });
        configs(&mock).apply("web", &fields).await.unwrap();
        configs(&mock).force().apply("web", &Unchecked(&fields)).await.unwrap();
        let path = "PATCH /api/v1/namespaces/prod/configmaps/web?fieldManager=me";
        assert_eq!(mock.lines(), [path.to_owned(), format!("{path}&force=true")]);
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" }, "data": { "size": "1" },
        });
        for sent in mock.sent() {
            assert_eq!(sent.body, body);
            assert_eq!(sent.content_type, "application/apply-patch+yaml");
        }
    }

    #[tokio::test]
    async fn objects_of_kubernetes_are_applied_as_they_are() {
        let mock = Mock::new([stored(200)]);
        let config: ConfigMap = serde_json::from_value(json!({
            "metadata": { "name": "web", "resourceVersion": "7", "managedFields": [{ "manager": "other" }] },
            "data": { "size": "1" },
        }))
        .unwrap();
        configs(&mock).apply("web", &config).await.unwrap();
        let body = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web", "resourceVersion": "7" },
            "data": { "size": "1" },
        });
        assert_eq!(mock.sent()[0].body, body);
    }

    #[tokio::test]
    async fn creation_is_reported() {
        for (code, expected) in [(201, OperationResult::Created), (200, OperationResult::Updated)] {
            let mock = Mock::new([stored(code)]);
            let applied = configs(&mock).create_or_apply("web", &json!({})).await;
            assert_eq!(applied.unwrap().1, expected);
        }
    }

    #[tokio::test]
    async fn response_must_be_the_applied_object() {
        let metadata = json!({ "name": "web", "namespace": "prod" });
        let web = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
        for odd in in_place_of(&web) {
            let mock = Mock::new([Reply::exactly(201, &odd)]);
            let applied = configs(&mock).create_or_apply("web", &json!({})).await;
            let Err(ApplyError::Request(error)) = applied else {
                panic!("{applied:?}");
            };
            assert_unexpected(&error);
        }
        let mock = Mock::new([Reply::exactly(200, &web)]);
        configs(&mock).apply("web", &json!({})).await.unwrap();
    }

    #[tokio::test]
    async fn conflicting_fields_are_listed() {
        let cause = json!({
            "reason": "FieldManagerConflict", "message": "conflict with \"kubectl\" using v1", "field": ".data.size",
        });
        let status = json!({ "kind": "Status", "code": 409, "reason": "Conflict", "details": { "causes": [cause] } });
        let mock = Mock::new([Reply::json(409, status)]);
        let error = configs(&mock).apply("web", &json!({})).await.unwrap_err();
        let message = "cannot patch ConfigMap `web` in namespace `prod`: other managers own fields; omit these, or take \
                       ownership with `.force()`\n  .data.size: owned by `kubectl`";
        assert_eq!(error.to_string(), message);
    }

    #[tokio::test]
    async fn field_manager_is_required() {
        let mock = Mock::new([]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let error = configs.apply("web", &json!({})).await.unwrap_err();
        assert!(matches!(error, ApplyError::NoFieldManager { .. }), "{error}");
        let error = configs.field_manager("me").apply("web", &json!([])).await.unwrap_err();
        assert!(matches!(error, ApplyError::Request(Error::Encode { .. })), "{error}");
        assert!(mock.sent().is_empty());
    }

    #[tokio::test]
    async fn fields_of_another_object_are_rejected() {
        for (metadata, reason) in [
            (json!(3), "its `metadata` is not an object"),
            (json!({ "name": "other" }), "its `metadata.name` is \"other\", not \"web\""),
        ] {
            let mock = Mock::new([]);
            let fields = json!({ "metadata": metadata });
            let error = configs(&mock).apply("web", &fields).await.unwrap_err();
            assert!(error.to_string().ends_with(reason), "{error}");
            assert!(mock.sent().is_empty());
        }
        for metadata in [json!(null), json!({ "name": "web" }), json!({ "name": null })] {
            let mock = Mock::new([stored(200)]);
            let fields = json!({ "metadata": metadata });
            configs(&mock).apply("web", &fields).await.unwrap();
            assert_eq!(mock.sent()[0].body["metadata"], json!({ "name": "web" }));
        }
    }
}
