//! Objects of one kind in several namespaces.

use crdkit::{
    Client, Resource,
    client::{Error, set_controller_reference},
    kube::{
        api::{ApiResource, DynamicObject, ListParams},
        core::GroupVersionKind,
    },
};
use crdkit_tests::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

use crate::{
    served::{Machine, MachineSpec, Sample, Site, client, namespace},
    server::{Server, server},
};

fn machine(name: &str, label: &str) -> Machine {
    let mut machine = Machine::named(name, 1);
    machine.metadata.labels = Some([("namespaces".to_owned(), label.to_owned())].into());
    machine
}

#[tokio::test]
async fn all_namespaces_are_listed_and_cleared() {
    let Some(client) = client().await else { return };
    let machines = client.resources::<Machine>();
    for name in ["namespaces-a", "namespaces-b"] {
        let namespace = namespace(&client, name).await;
        let machines = machines.namespace(&namespace);
        machines.create(&machine("a", "cleared")).await.unwrap();
        machines.create(&machine("b", "kept")).await.unwrap();
    }
    let all = machines.all_namespaces();
    let cleared = || all.list().labels("namespaces=cleared");
    assert_eq!(cleared().await.unwrap().items.len(), 2);

    let deleted = all.delete_collection().labels("namespaces=cleared").await.unwrap();
    assert_eq!(deleted.len(), 2);
    assert_eq!(cleared().await.unwrap().items.len(), 0);
    let kept = all.list().labels("namespaces=kept").await.unwrap();
    assert_eq!(kept.items.len(), 2);
}

/// The reason why `all_namespaces()` deletes collections namespace by namespace.
#[tokio::test]
async fn the_server_deletes_no_collection_of_all_namespaces() {
    let Some(server) = server() else { return };
    client().await.unwrap();
    for path in ["/api/v1/configmaps", "/apis/client.example.com/v1/machines"] {
        let answer = server.raw(Request::delete(path)).await;
        assert!(!answer.is_success(), "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_missing_namespace_is_named() {
    let Some(client) = client().await else { return };
    let machines = client.resources::<Machine>().namespace("namespaces-none");
    let error = machines.create(&Machine::named("a", 1)).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
    assert!(error.to_string().contains("namespaces-none"), "{error}");
}

#[tokio::test]
async fn the_namespace_of_the_context_is_the_default() {
    let Some(client) = client().await else { return };
    let configs = client.resources::<ConfigMap>();
    let mut config = ConfigMap::default();
    config.metadata.name = Some("namespaces".into());
    let created = configs.default_namespace().create(&config).await.unwrap();
    assert_eq!(created.metadata.namespace.as_deref(), Some("default"));
    let found = configs.namespace("default").get("namespaces").await.unwrap();
    assert_eq!(found.metadata.uid, created.metadata.uid);
}

#[tokio::test]
async fn a_kind_that_is_not_served_differs_from_a_missing_object() {
    let Some(client) = client().await else { return };
    let kind = GroupVersionKind::gvk("nowhere.example.com", "v1", "Thing");
    let things = client.resources_with::<DynamicObject>(ApiResource::from_gvk(&kind));
    for error in [things.namespace("default").get_opt("a").await.unwrap_err(), things.list().await.unwrap_err()] {
        assert!(matches!(error, Error::NotServed(_)), "{error}");
    }
}

#[tokio::test]
async fn kinds_known_at_run_time_use_the_same_client() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "namespaces-dynamic").await;
    client.resources().namespace(&namespace).create(&Machine::named("a", 1)).await.unwrap();
    let kind = ApiResource::erase::<Machine>(&());
    let machines = client.resources_with::<DynamicObject>(kind).namespace(&namespace);
    let update = machines.update("a", |machine| machine.data["spec"]["size"] = 2.into());
    assert_eq!(update.await.unwrap().data["spec"]["size"], 2);
}

#[tokio::test]
async fn kubes_client_is_accessible() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "namespaces-kube").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("a", 1)).await.unwrap();
    assert_eq!(machines.api().get("a").await.unwrap().spec.size, 1);
    let list = client.resources::<Machine>().all_namespaces().api();
    assert!(!list.list(&ListParams::default()).await.unwrap().items.is_empty());
    client.resources::<Site>().api().list(&ListParams::default()).await.unwrap();

    let from_kube = Client::from(client.kube().clone());
    assert!(from_kube.config().is_none());
    assert_eq!(client.config().is_some(), matches!(server(), Some(Server::ControlPlane(_))));
    let machines = from_kube.resources::<Machine>().namespace(&namespace);
    assert_eq!(machines.get("a").await.unwrap().spec.size, 1);
}

#[tokio::test]
async fn owners_are_stored_by_the_server() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "namespaces-owners").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let owner = machines.create(&Machine::new("a", MachineSpec::default())).await.unwrap();
    let mut child = ConfigMap::default();
    child.metadata.name = Some("a".into());
    child.metadata.namespace = Some(namespace.clone());
    set_controller_reference(&mut child, &owner).unwrap();
    let configs = client.resources::<ConfigMap>().namespace(&namespace);
    let child = configs.create(&child).await.unwrap();
    let owners = child.meta().owner_references.as_ref().unwrap();
    assert_eq!(Some(&owners[0].uid), owner.metadata.uid.as_ref());
    assert_eq!(owners[0].api_version, "client.example.com/v1");
}

#[tokio::test]
async fn kubernetes_own_kinds_have_the_same_methods() {
    let Some(client) = client().await else { return };
    let namespaces = client.resources::<Namespace>();
    namespace(&client, "namespaces-own").await;
    let update = namespaces.update("namespaces-own", |namespace| {
        let labels = namespace.metadata.labels.get_or_insert_default();
        labels.insert("a".into(), "b".into());
    });
    assert_eq!(update.await.unwrap().metadata.labels.unwrap()["a"], "b");
}
