//! The contents of the store and the events of subscribers.

use crdkit::{
    client::{Patch, dynamic::Unstructured},
    informer::{Executor, Index, Informers, WaitError},
    selector,
};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ApiResource, DynamicObject, PartialObjectMeta};
use serde_json::json;

use crate::{
    next_ones,
    served::{Machine, Sample, Site, client, namespace},
    server::{Server, server},
    synced, within_limit,
};

#[tokio::test]
async fn the_store_and_subscribers_receive_changes() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "informer-objects").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("a", 1)).await.unwrap();

    let by_size = Index::new("size", |machine: &Machine| [machine.spec.size]);
    let informer = Informers::new(client.clone()).of::<Machine>().namespace(&namespace).index(&by_size).start();
    synced(&informer).await;
    let executor = match server() {
        Some(Server::ControlPlane(_)) => Executor::SharedThreads,
        _ => Executor::CallersRuntime, // a client without a configuration
    };
    assert_eq!(informer.health().executor, executor);
    let mut events = informer.subscribe();
    assert_eq!(next_ones(&mut events, 2).await, ["+a", "synced"]);

    machines.create(&Machine::named("b", 2)).await.unwrap();
    let b = machines.update("b", |machine| machine.spec.size = 3).await.unwrap();
    machines.delete("a").await.unwrap();
    assert_eq!(next_ones(&mut events, 3).await, ["+b", "b", "-a"]);

    within_limit(informer.wait_for(&b)).await.unwrap();
    let lister = informer.lister();
    assert_eq!(lister.namespace(&namespace).get("b").unwrap().spec.size, 3);
    assert!(lister.namespace(&namespace).get("a").is_none());
    assert_eq!(lister.by(&by_size, &3).len(), 1);
    assert!(lister.by(&by_size, &2).is_empty());
    assert_eq!(lister.namespace(&namespace).get("b").unwrap().metadata.managed_fields, None);

    let mut late = informer.subscribe();
    assert_eq!(next_ones(&mut late, 2).await, ["+b", "synced"]);
    informer.stop();
    assert_eq!(next_ones(&mut events, 1).await, ["end"]);
    assert_eq!(informer.health().executor, Executor::Stopped);
}

#[tokio::test]
async fn written_objects_are_read() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "informer-writes").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let informer = Informers::new(client.clone()).of::<Machine>().namespace(&namespace).keep_managed_fields().start();
    synced(&informer).await;
    for size in 0..50 {
        let written = machines.create(&Machine::named(&format!("m{size}"), size)).await.unwrap();
        within_limit(informer.wait_for(&written)).await.unwrap();
        let seen = informer.lister().namespace(&namespace).get(&format!("m{size}"));
        assert_eq!(seen.as_deref(), Some(&written));
    }
    let unsent = Machine::named("m0", 1);
    assert_eq!(informer.wait_for(&unsent).await, Err(WaitError::NoVersion));
    let mut elsewhere = machines.get("m0").await.unwrap();
    elsewhere.metadata.namespace = Some("elsewhere".to_owned());
    assert_eq!(informer.wait_for(&elsewhere).await, Err(WaitError::NotWatched));
}

#[tokio::test]
async fn objects_come_and_go_with_their_labels_and_fields() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "informer-selected").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let informers = Informers::new(client.clone());
    let web = informers.of::<Machine>().namespace(&namespace).labels("app=web").start();
    let large = informers.of::<Machine>().namespace(&namespace).matching(selector!(Machine, spec.size == 7)).start();
    let (mut web, mut large) = (web.subscribe(), large.subscribe());
    assert_eq!(next_ones(&mut web, 1).await, ["synced"]);
    assert_eq!(next_ones(&mut large, 1).await, ["synced"]);

    machines.create(&Machine::named("a", 1)).await.unwrap();
    let label = |value: &str| Patch::merge(json!({ "metadata": { "labels": { "app": value } } }));
    machines.patch("a", &label("web")).await.unwrap();
    let resize = |size: i32| Patch::merge(json!({ "spec": { "size": size } }));
    machines.patch("a", &resize(7)).await.unwrap();
    machines.patch("a", &label("db")).await.unwrap();
    machines.patch("a", &resize(8)).await.unwrap();
    assert_eq!(next_ones(&mut web, 3).await, ["+a", "a", "-a"]);
    assert_eq!(next_ones(&mut large, 3).await, ["+a", "a", "-a"]);
}

#[tokio::test]
async fn cluster_scoped_kinds_metadata_and_dynamic_objects() {
    let Some(client) = client().await else { return };
    let sites = client.resources::<Site>();
    let site = sites.create(&Site::named("informer-site", 4)).await.unwrap();

    let informers = Informers::new(client.clone());
    let whole = informers.of::<Site>().fields("metadata.name=informer-site").keep_managed_fields().start();
    let metadata = informers.metadata::<Site>().start();
    let kind = ApiResource::erase::<Site>(&());
    let dynamic = informers.of_with::<DynamicObject>(kind).start();
    let namespaces = ApiResource::erase::<Namespace>(&());
    let built_in = informers.of_with::<Unstructured>(namespaces).start();
    within_limit(informers.synced()).await.unwrap();
    assert_eq!(whole.lister().get("informer-site").as_deref(), Some(&site));
    let partial: std::sync::Arc<PartialObjectMeta<Site>> = metadata.lister().get("informer-site").unwrap();
    assert_eq!(partial.metadata.uid, site.metadata.uid);
    let object = dynamic.lister().get("informer-site").unwrap();
    assert_eq!(object.data["spec"]["size"], 4);
    // Items of lists of built-in kinds have none.
    let namespace = built_in.lister().get("default").unwrap();
    assert_eq!(namespace.gvk().unwrap().kind, "Namespace");

    informers.stop();
    assert!(!whole.health().is_good());
}
