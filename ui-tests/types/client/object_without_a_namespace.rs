use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

async fn read(client: Client) {
    let pods = client.resources::<Pod>();
    let _ = pods.get("web").await;
}

fn main() {}
