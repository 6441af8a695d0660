//! One way to a cluster, for crdkit's requests and for kube's.

use http::{Request, Response};
use kube::{
    Config,
    client::{Body, retry::RetryPolicy},
};
use tower::{BoxError, ServiceBuilder, retry::RetryLayer, service_fn};

use super::discovery;

pub(super) struct Connection {
    /// Sends each request once, where crdkit says when to try again.
    quiet: kube::Client,
    /// Tries again by itself, as kube's users expect.
    pub(super) kube: kube::Client,
    pub(super) config: Option<Config>,
    pub(super) discovery: discovery::Cache,
    #[cfg(feature = "informer")]
    pub(super) informer_threads: crate::informer::threads::Running,
}

impl Connection {
    pub(super) fn of_kube(kube: kube::Client) -> Self {
        Self {
            quiet: kube.clone(),
            kube,
            config: None,
            discovery: discovery::Cache::default(),
            #[cfg(feature = "informer")]
            informer_threads: Default::default(),
        }
    }

    pub(super) fn of_config(config: Config) -> Result<Self, kube::Error> {
        let mut once = config.clone();
        once.default_retry = false;
        let quiet = kube::Client::try_from(once)?;
        let kube = match config.default_retry {
            true => retrying(&quiet),
            false => quiet.clone(),
        };
        Ok(Self {
            quiet,
            kube,
            config: Some(config),
            discovery: discovery::Cache::default(),
            #[cfg(feature = "informer")]
            informer_threads: Default::default(),
        })
    }

    /// Sends a request once.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        self.quiet.send(request).await
    }
}

/// A client on the connections of another, which tries again as kube's does by default.
fn retrying(quiet: &kube::Client) -> kube::Client {
    let sender = quiet.clone();
    let send = service_fn(move |request: Request<Body>| {
        let sender = sender.clone();
        async move { sender.send(request).await.map_err(BoxError::from) }
    });
    let retries = RetryLayer::new(RetryPolicy::server_retry());
    let service = ServiceBuilder::new().layer(retries).service(send);
    kube::Client::new(service, quiet.default_namespace()).with_valid_until(*quiet.valid_until())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::mock::{Mock, Reply};

    #[tokio::test(start_paused = true)]
    async fn kube_tries_again_on_the_same_connection() {
        let found = json!({ "metadata": { "name": "web" } });
        let busy = Reply::status(503, "ServiceUnavailable", "web");
        let mock = Mock::new([busy, Reply::json(200, found)]);
        let kube = retrying(mock.client().kube());
        let configs = kube::Api::<ConfigMap>::namespaced(kube, "prod");
        configs.get("web").await.unwrap();
        assert_eq!(mock.sent().len(), 2);
    }
}
