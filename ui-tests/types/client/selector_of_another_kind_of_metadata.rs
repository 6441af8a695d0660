use crdkit::{Client, selector};
use k8s_openapi::api::core::v1::{Node, Pod};

fn select(client: &Client) {
    let pods = client.resources::<Pod>().all_namespaces().metadata();
    let _ = pods.watch().matching(selector!(Node, metadata.name == "n1"));
}

fn main() {}
