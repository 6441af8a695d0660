//! Conversion by the server of webhooks.

use crdkit::webhook::Webhooks;
use crdkit_tests::Request;
use example_resources::virtual_machine;
use serde_json::{Value, json};

use crate::{
    fixture::{client, cluster, serve},
    machine::machine_converter,
};

#[tokio::test]
async fn objects_are_served_in_each_version() {
    let Some(cluster) = cluster().await else { return };
    let versions = virtual_machine::versions();
    // The first converter is that of another kind.
    let url = serve(Webhooks::new("vms").convert(machine_converter()).convert(versions.converter()));
    let merged = versions.versions(client(&url).conversion()).merge().unwrap();
    let definition: Value = serde_json::to_value(&merged.crd).unwrap();
    cluster.server.install(&definition).await.expect_accepted();

    let path = |version: &str| format!("/apis/infra.example.com/{version}/namespaces/default/virtualmachines");
    let vm = json!({
        "apiVersion": "infra.example.com/v1alpha1", "kind": "VirtualMachine", "metadata": { "name": "converted" },
        "spec": {
            "cpu": "2", "memory": "4Gi", "image": "debian:13", "replicas": 2,
            "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
        },
    });
    let created = cluster.server.raw(Request::post(path("v1alpha1"), vm)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    for version in ["v1", "v1alpha1", "v2alpha1"] {
        let read = cluster.server.raw(Request::get(format!("{}/converted", path(version)))).await;
        assert_eq!(
            (read.status, &read.body["apiVersion"]),
            (200, &json!(format!("infra.example.com/{version}"))),
            "{}",
            read.body
        );
        let list = cluster.server.raw(Request::get(path(version))).await;
        assert_eq!(list.body["items"][0]["apiVersion"], json!(format!("infra.example.com/{version}")), "{}", list.body);
    }
}
