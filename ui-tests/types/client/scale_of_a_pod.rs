use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

async fn scale(client: Client) {
    let pods = client.resources::<Pod>().namespace("default");
    pods.scale().set("web", 3).await.unwrap();
}

fn main() {
    let _ = scale;
}
