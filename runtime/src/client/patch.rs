//! Changes objects by patches.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use serde::Serialize;

use super::{
    endpoint::{Endpoint, RequestTarget},
    error::{Error, JsonError},
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
};
use crate::json::json_value::to_vec;

const MERGE_PATCH: &str = "application/merge-patch+json";

/// A patch for an object.
///
/// ```
/// use crdkit::client::Patch;
/// use serde_json::json;
///
/// let merge = Patch::merge(json!({ "spec": { "replicas": 3 } }));
/// let json = Patch::json(json!([{ "op": "add", "path": "/spec/args/-", "value": "--verbose" }]));
/// ```
///
/// Content that cannot be serialized as JSON results in [`Error::Encode`] when the patch is sent.
///
/// The `Debug` output omits the content.
#[derive(Clone, PartialEq)]
pub struct Patch {
    media_type: &'static str,
    /// The JSON, or why the content cannot be serialized.
    content: Result<Bytes, Arc<str>>,
    /// Whether it is sent again after a lost response. Between the two, somebody else may have changed the same fields.
    repeatable: bool,
}

impl Patch {
    /// Creates a JSON merge patch (RFC 7396): the fields to set, and `null` for those to remove. Lists are replaced.
    pub fn merge(content: impl Serialize) -> Self {
        Self::new(MERGE_PATCH, &content)
    }

    /// Creates a JSON patch (RFC 6902): a list of operations, which fails as a whole if one of them fails.
    pub fn json(operations: impl Serialize) -> Self {
        Self::new("application/json-patch+json", &operations)
    }

    /// Creates a strategic merge patch, which merges lists by their keys. Custom resources do not support it.
    pub fn strategic(content: impl Serialize) -> Self {
        Self::new("application/strategic-merge-patch+json", &content)
    }

    fn new(media_type: &'static str, content: &impl Serialize) -> Self {
        Self { media_type, content: to_json(content), repeatable: false }
    }

    /// Returns the same patch, which nothing is lost by sending again.
    pub(crate) fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }
}

/// Serializes a value as JSON. The error contains none of its values.
fn to_json(content: &impl Serialize) -> Result<Bytes, Arc<str>> {
    match to_vec(content) {
        Ok(json) => Ok(json.into()),
        Err(error) => Err(JsonError::from(error).to_string().into()),
    }
}

impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patch")
            .field("media_type", &self.media_type)
            .field("bytes", &self.content.as_ref().map_or(0, Bytes::len))
            .finish_non_exhaustive()
    }
}

impl<K: Object, P> Resources<K, P> {
    /// Patches an object and returns the stored object.
    ///
    /// A patch is not sent again after a lost response: [`Error::is_outcome_unknown`] is true then.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if no object has this name, [`Error::Invalid`] if the patch does not apply or its result
    /// violates the schema, [`Error::Conflict`] if the patch has a resourceVersion that is not the current one,
    /// [`Error::Encode`] if it cannot be serialized as JSON, and the errors common to all requests.
    pub fn patch<'a>(&'a self, name: &'a str, patch: &'a Patch) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.patch(name, None, patch))
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn patch(&self, name: &str, subresource: Option<&'static str>, patch: &Patch) -> Result<K, Error> {
        let request = self.patch_request(name, subresource, patch)?;
        self.object(&request).await
    }
}

impl RequestTarget {
    pub(crate) fn patch_request<'a>(
        &self,
        name: &'a str,
        subresource: Option<&'static str>,
        patch: &Patch,
    ) -> Result<Request<'a>, Error> {
        let request =
            Request { repeatable: patch.repeatable, ..Request::object(Verb::Patch, name).subresource(subresource) };
        match &patch.content {
            Ok(json) => Ok(request.query(self.client.options.write_query()).content(patch.media_type, json.clone())),
            Err(reason) => Err(self.encode_error(&request, JsonError::plain(reason))),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::mock::{
        Mock, Reply,
        unexpected::{assert_unexpected, in_place_of},
    };

    #[tokio::test]
    async fn patches_have_their_media_type() {
        let stored = || Reply::json(200, json!({ "metadata": { "name": "web" } }));
        let mock = Mock::new([stored(), stored(), stored()]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let content = json!({ "data": { "size": null } });
        let operations = json!([{ "op": "remove", "path": "/data/size" }]);
        let patches = [Patch::merge(&content), Patch::json(&operations), Patch::strategic(&content)];
        for patch in patches {
            configs.patch("web", &patch).await.unwrap();
        }
        let sent = mock.sent();
        assert_eq!(sent[0].line, "PATCH /api/v1/namespaces/prod/configmaps/web");
        assert_eq!((&sent[0].body, &sent[1].body), (&content, &operations));
        let types: Vec<_> = sent.iter().map(|sent| sent.content_type.as_str()).collect();
        let kinds = ["merge-patch", "json-patch", "strategic-merge-patch"];
        assert_eq!(types, kinds.map(|kind| format!("application/{kind}+json")));
    }

    #[tokio::test]
    async fn response_must_be_the_patched_object() {
        let metadata = json!({ "name": "web", "namespace": "prod" });
        let web = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
        let patches = [Patch::merge(json!({})), Patch::json(json!([])), Patch::strategic(json!({}))];
        for patch in patches {
            for odd in in_place_of(&web) {
                let mock = Mock::new([Reply::exactly(200, &odd)]);
                let configs = mock.client().resources::<ConfigMap>().namespace("prod");
                assert_unexpected(&configs.patch("web", &patch).await.unwrap_err());
            }
            let mock = Mock::new([Reply::exactly(200, &web)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            configs.patch("web", &patch).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_repeatable_patches_are_sent_again_after_a_lost_response() {
        let merge = || Patch::merge(json!({ "data": { "size": "1" } }));
        for (patch, count) in [(merge().repeatable(), 2), (merge(), 1), (Patch::json(json!([])), 1)] {
            for lost in [Reply::lost(), Reply::status(503, "ServiceUnavailable", "web")] {
                let mock = Mock::new([lost]);
                let configs = mock.client().max_retries(1).resources::<ConfigMap>().namespace("prod");
                configs.patch("web", &patch).await.unwrap_err();
                assert_eq!(mock.sent().len(), count);
            }
        }
    }

    #[tokio::test]
    async fn unserializable_content_is_not_sent() {
        let mock = Mock::new([]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let odd = Patch::merge(std::collections::BTreeMap::from([([1, 2], "a")]));
        let error = configs.patch("web", &odd).await.unwrap_err();
        assert!(matches!(error, Error::Encode { .. }), "{error}");
        assert!(mock.sent().is_empty());
    }
}
