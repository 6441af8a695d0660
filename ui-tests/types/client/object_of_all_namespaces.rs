use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

async fn remove(client: Client) {
    let pods = client.resources::<Pod>().all_namespaces();
    let _ = pods.delete("web").await;
}

fn main() {}
