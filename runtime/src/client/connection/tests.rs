mod http;
#[cfg(feature = "rustls-tls")]
mod http2;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;
use crate::client::mock::{Mock, Reply};

#[tokio::test(start_paused = true)]
async fn kube_retries_on_the_same_connection() {
    let found = json!({ "metadata": { "name": "web" } });
    let busy = Reply::status(503, "ServiceUnavailable", "web");
    let mock = Mock::new([busy, Reply::json(200, found)]);
    let kube = with_default_retries(mock.client().kube());
    let configs = kube::Api::<ConfigMap>::namespaced(kube, "prod");
    configs.get("web").await.unwrap();
    assert_eq!(mock.sent().len(), 2);
}
