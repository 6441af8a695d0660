use crdkit::Client;
use k8s_openapi::api::core::v1::Pod;

fn read(client: Client) {
    let _ = client.resources::<Pod>().list();
}

fn main() {}
