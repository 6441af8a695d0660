//! Many objects of an old version.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crdkit::client::Patch;
use futures_util::{StreamExt, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;
use tokio::time::sleep;

use super::{
    cluster::{Cluster, serve},
    kinds::{many, migrated},
};

/// Creates objects, of which the first version has no conversion.
macro_rules! create {
    ($kind:ident, $cluster:expr, $count:expr) => {{
        let machines = $cluster.client.resources::<$kind::v1alpha1::Machine>().namespace("default");
        let create = |number: i32| {
            let machines = &machines;
            async move {
                let spec = $kind::v1alpha1::MachineSpec { ram: format!("{number}Mi"), number };
                machines.create(&$kind::v1alpha1::Machine::new(&format!("m-{number:05}"), spec)).await.unwrap();
            }
        };
        stream::iter(0..$count).map(create).buffer_unordered(64).collect::<Vec<_>>().await
    }};
}

fn count() -> i32 {
    crdkit_tests::case_count("CRDKIT_CONVERTED_OBJECTS", 10_000)
}

/// Objects that were stored in the old version are listed in the new one, in one response and in pages.
async fn check_lists(cluster: &Cluster, count: i32) {
    let (_server, client) = serve([many::versions().converter()]);
    let old = many::versions().store_as::<many::v1alpha1::Machine>().versions(client.conversion());
    cluster.client.install([old.merge().unwrap().crd]).await.unwrap();
    create!(many, cluster, count);
    let new = many::versions().versions(client.conversion());
    cluster.client.install([new.merge().unwrap().crd]).await.unwrap();
    let machines = cluster.client.resources::<many::Machine>().namespace("default");
    for page in [None, Some(500)] {
        let list = machines.list();
        let request = match page {
            Some(size) => list.page_size(size),
            None => list,
        };
        let list = request.await.unwrap();
        assert_eq!(list.items.len(), usize::try_from(count).unwrap());
        for (number, machine) in (0..).zip(&list.items) {
            assert_eq!(machine.spec, many::MachineSpec { memory: format!("{number}Mi"), number });
        }
    }
    let definitions = cluster.client.resources::<CustomResourceDefinition>();
    let definition = definitions.get(&format!("machines.{}", many::GROUP)).await.unwrap();
    assert_eq!(definition.status.unwrap().stored_versions.unwrap(), ["v1alpha1", "v1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_objects_are_listed_in_the_new_version_in_the_process() {
    check_lists(&Cluster::in_process(), 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_objects_are_listed_in_the_new_version_on_the_control_plane() {
    let Some(cluster) = Cluster::real("many") else { return };
    check_lists(&cluster, count()).await;
}

/// Objects are rewritten in the new version while others write them in both, and then the old version is removed.
async fn check_migration(cluster: Cluster, count: i32) {
    let cluster = Arc::new(cluster);
    let (_server, client) = serve([migrated::versions().converter()]);
    let old = migrated::versions().store_as::<migrated::v1alpha1::Machine>().versions(client.conversion());
    cluster.client.install([old.merge().unwrap().crd]).await.unwrap();
    create!(migrated, cluster, count);
    let new = migrated::versions().versions(client.conversion());
    cluster.client.install([new.merge().unwrap().crd]).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let writer = {
        let (cluster, stop) = (cluster.clone(), stop.clone());
        tokio::spawn(async move {
            let old = cluster.client.resources::<migrated::v1alpha1::Machine>().namespace("default");
            let new = cluster.client.resources::<migrated::Machine>().namespace("default");
            let mut writes = 0;
            while !stop.load(Ordering::Relaxed) {
                let name = format!("m-{:05}", writes * 7 % count);
                let touched = Patch::merge(json!({ "metadata": { "labels": { "write": writes.to_string() } } }));
                match writes % 2 {
                    0 => drop(old.patch(&name, &touched).await.unwrap()),
                    _ => drop(new.patch(&name, &touched).await.unwrap()),
                }
                writes += 1;
                sleep(Duration::from_millis(2)).await;
            }
            writes
        })
    };
    let migrated = cluster.client.migrate_storage::<migrated::Machine>().by_client().await.unwrap();
    stop.store(true, Ordering::Relaxed);
    assert!(writer.await.unwrap() > 0);
    assert_eq!((migrated.removed_versions, migrated.stored_versions), (vec!["v1alpha1".into()], vec!["v1".into()]));
    let only = crdkit::merge::Versions::new().add::<migrated::Machine>();
    cluster.client.install([only.merge().unwrap().crd]).await.unwrap();
    let machines = cluster.client.resources::<migrated::Machine>().namespace("default").list().await.unwrap();
    assert!(machines.iter().zip(0..count).all(|(machine, number)| machine.spec.memory == format!("{number}Mi")));
    assert_eq!(machines.iter().count(), usize::try_from(count).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_migrated_while_others_write_them_in_the_process() {
    check_migration(Cluster::in_process(), 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_are_migrated_while_others_write_them_on_the_control_plane() {
    let Some(cluster) = Cluster::real("migrated") else { return };
    check_migration(cluster, 150).await;
}
