use crdkit::Client;
use k8s_openapi::api::core::v1::Secret;

async fn write(client: Client) {
    let secrets = client.resources::<Secret>().namespace("prod").read_only();
    let _ = secrets.get("web").await;
    let _ = secrets.delete("web").await;
}

fn main() {}
