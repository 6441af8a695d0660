//! Objects of the API server, decoded by their `apiVersion` and `kind`.

use crdkit::client::{dynamic::Unstructured, scheme::Scheme};
use crdkit_tests::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

use crate::{
    served::{Machine, MachineSpec, Site, client, namespace},
    server::server,
};

fn scheme() -> Scheme {
    let scheme = Scheme::new().register::<Machine>().unwrap();
    scheme.register::<Site>().unwrap().register::<Namespace>().unwrap()
}

#[tokio::test]
async fn lists_of_the_server_are_decoded() {
    let Some(client) = client().await else { return };
    let server = server().unwrap();
    let namespace = namespace(&client, "scheme").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    for size in 0..3 {
        let spec = MachineSpec { size, ..Default::default() };
        machines.create(&Machine::new(&format!("m{size}"), spec)).await.unwrap();
    }
    let path = format!("/apis/client.example.com/v1/namespaces/{namespace}/machines");
    let list = server.raw(Request::get(path)).await.body.to_string();
    let objects = scheme().decode_all(list.as_bytes()).unwrap();
    let sizes = objects.iter().map(|object| object.downcast_ref::<Machine>().unwrap().spec.size);
    assert_eq!(sizes.collect::<Vec<_>>(), [0, 1, 2]);

    // Items of lists of built-in kinds have no `kind`.
    let list = server.raw(Request::get("/api/v1/namespaces")).await.body;
    assert!(list["items"][0].get("kind").is_none());
    let objects = scheme().decode_all(list.to_string().as_bytes()).unwrap();
    assert!(objects.iter().all(|object| object.is::<Namespace>()));
}

#[tokio::test]
async fn a_manifest_is_applied_by_type_and_without() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "scheme-manifest").await;
    let manifest = "
apiVersion: client.example.com/v1
kind: Machine
metadata: { name: web }
spec: { size: 4 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { size: '4' }
";
    for object in scheme().allow_unknown().decode_yaml(manifest).unwrap() {
        match object.downcast::<Machine>() {
            Ok(machine) => {
                let machines = client.resources::<Machine>().namespace(&namespace);
                machines.create(&machine).await.unwrap();
            }
            Err(other) => {
                let resources = client.dynamic().resources(other.gvk()).await.unwrap();
                let object = other.downcast::<Unstructured>().unwrap();
                let resources = resources.namespace_if_any(&namespace);
                resources.create(&object).await.unwrap();
            }
        }
    }
    let machine = client.resources::<Machine>().namespace(&namespace).get("web").await.unwrap();
    assert_eq!(machine.spec.size, 4);
    let config = client.resources::<ConfigMap>().namespace(&namespace).get("web").await.unwrap();
    assert_eq!(config.data.unwrap()["size"], "4");
}
