use crdkit::Client;
use k8s_openapi::api::core::v1::ConfigMap;

async fn evict(client: Client) {
    let _ = client.resources::<ConfigMap>().namespace("prod").evict("web").await;
}

fn main() {}
