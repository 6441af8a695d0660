use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

fn read(client: Client) {
    let pods = client.resources::<Pod>();
    let _ = pods.get("web");
}

fn main() {}
