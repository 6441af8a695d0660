//! Reads one object.

use super::{
    endpoint::Endpoint,
    error::Error,
    request::{Request, Verb},
    request_future::RequestFuture,
    resources::{Object, Resources},
    scope::SingleObject,
};

impl<K: Object, P> Resources<K, P> {
    /// Reads an object.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if no object has this name, [`Error::NotServed`] if the API server does not serve the kind,
    /// and the errors common to all requests.
    pub fn get<'a>(&'a self, name: &'a str) -> RequestFuture<'a, K>
    where
        P: SingleObject<K>,
    {
        Box::pin(self.endpoint.get(name))
    }

    /// Reads an object; returns `None` if no object has this name.
    ///
    /// # Errors
    ///
    /// The same as for [`get`](Self::get). A kind that the API server does not serve is an error here too.
    pub fn get_opt<'a>(&'a self, name: &'a str) -> RequestFuture<'a, Option<K>>
    where
        P: SingleObject<K>,
    {
        let object = self.endpoint.get(name);
        Box::pin(async { none_if_not_found(object.await) })
    }
}

impl<K: Object> Endpoint<K> {
    pub(crate) async fn get(&self, name: &str) -> Result<K, Error> {
        self.object(&Request::object(Verb::Get, name)).await
    }
}

/// Converts [`Error::NotFound`] to `None`.
pub(crate) fn none_if_not_found<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Node};
    use serde_json::json;

    use super::*;
    use crate::client::mock::{Mock, Reply};

    fn config() -> serde_json::Value {
        json!({ "metadata": { "name": "web", "namespace": "prod" }, "data": { "size": "1" } })
    }

    fn whole(name: &str, namespace: &str) -> serde_json::Value {
        let metadata = json!({ "name": name, "namespace": namespace });
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })
    }

    #[tokio::test]
    async fn objects_are_read_from_their_namespace() {
        let mock = Mock::new([Reply::json(200, config()), Reply::json(200, json!({}))]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        let config = configs.get("web").await.unwrap();
        assert_eq!(config.data.unwrap()["size"], "1");
        mock.client().resources::<Node>().get("n1").await.unwrap();
        let sent = mock.lines();
        assert_eq!(sent, ["GET /api/v1/namespaces/prod/configmaps/web", "GET /api/v1/nodes/n1"]);
    }

    #[tokio::test]
    async fn response_must_be_the_requested_object() {
        let whole_web = whole("web", "prod");
        let mut nameless = whole_web.clone();
        nameless["metadata"] = json!({});
        let mut unfit = whole_web.clone();
        unfit["kind"] = json!("Secret");
        unfit["data"] = json!(3);
        for (odd, found) in [
            (json!({}), "not a Kubernetes object"),
            (json!([]), "not a Kubernetes object"),
            (json!({ "status": "ok" }), "not a Kubernetes object"),
            (json!({ "kind": "Status", "apiVersion": "v1", "code": 502 }), "`Status` of `v1`"),
            (config(), "not a Kubernetes object"),
            (unfit, "`Secret` of `v1`"),
            (whole("db", "prod"), "the object `prod/db`"),
            (whole("web", "dev"), "the object `dev/web`"),
            (nameless, "an object without a name"),
        ] {
            let mock = Mock::new([Reply::exactly(200, &odd)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let error = configs.get_opt("web").await.unwrap_err();
            assert!(matches!(error, Error::Unexpected { .. }), "{error}");
            assert!(error.to_string().contains(&format!("but the response is {found}")), "{error}");
        }
        for page in ["ok", "", "<html></html>"] {
            let mock = Mock::new([Reply::text(200, page)]);
            let configs = mock.client().resources::<ConfigMap>().namespace("prod");
            let error = configs.get("web").await.unwrap_err();
            assert!(matches!(error, Error::Unexpected { .. }), "{error}");
        }
        let mock = Mock::new([Reply::exactly(200, &whole_web)]);
        let configs = mock.client().resources::<ConfigMap>().namespace("prod");
        configs.get("web").await.unwrap();
    }

    #[tokio::test]
    async fn missing_object_is_none() {
        let mock = Mock::new([Reply::status(404, "NotFound", "web")]);
        let configs = mock.client().resources::<ConfigMap>().default_namespace();
        assert_eq!(configs.get_opt("web").await.unwrap(), None);
    }

    #[tokio::test]
    async fn unserved_kind_is_an_error() {
        let mock = Mock::new([Reply::text(404, "404 page not found")]);
        let configs = mock.client().resources::<ConfigMap>().default_namespace();
        let error = configs.get_opt("web").await.unwrap_err();
        assert!(matches!(error, Error::NotServed(_)), "{error}");
    }

    #[tokio::test]
    async fn mismatched_object_is_named() {
        let odd = json!({ "metadata": { "name": "web" }, "data": { "size": 1 } });
        let mock = Mock::new([Reply::json(200, odd)]);
        let configs = mock.client().resources::<ConfigMap>().default_namespace();
        let message = configs.get("web").await.unwrap_err().to_string();
        let start = "cannot get ConfigMap `web` in namespace `default`: the object `web` does not match the type at \
                     `data.size`: invalid type: integer, expected a string";
        assert!(message.starts_with(start), "{message}");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_retried_up_to_a_limit() {
        let busy = || Reply::status(503, "ServiceUnavailable", "");
        let mock = Mock::new([busy(), busy(), Reply::json(200, config())]);
        let configs = mock.client().max_retries(2).resources::<ConfigMap>();
        configs.namespace("prod").get("web").await.unwrap();
        assert_eq!(mock.sent().len(), 3);

        let mock = Mock::new([busy(), busy(), busy()]);
        let configs = mock.client().max_retries(2).resources::<ConfigMap>();
        let error = configs.namespace("prod").get("web").await.unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
        assert_eq!(mock.sent().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn requested_delay_is_honored() {
        let busy = Reply::status(429, "TooManyRequests", "").header("retry-after", "7");
        let mock = Mock::new([busy, Reply::json(200, config())]);
        let configs = mock.client().max_retries(1).resources::<ConfigMap>();
        let start = tokio::time::Instant::now();
        configs.namespace("prod").get("web").await.unwrap();
        let waited = start.elapsed().as_secs_f64();
        assert!((7.0..7.75).contains(&waited), "{waited}");
    }

    #[tokio::test]
    async fn invalid_names_are_not_sent() {
        let mock = Mock::new([]);
        let nodes = mock.client().resources::<Node>();
        let error = nodes.get("../secrets").await.unwrap_err();
        assert!(matches!(error, Error::InvalidName { .. }), "{error}");
        assert!(mock.sent().is_empty());
    }
}
