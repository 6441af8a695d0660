use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

async fn read(client: Client) {
    let _ = client.resources::<Pod>().list().await;
}

fn main() {}
