//! Servers with and without streaming lists.

use crdkit::informer::Informers;
use crdkit_tests::ControlPlane;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::{next_ones, served::client_of, synced, within_limit};

async fn all_objects_are_received(plane: ControlPlane, fallbacks: u64) {
    let client = client_of(&plane);
    let configs = client.resources::<ConfigMap>().namespace("default");
    for number in 0..700 {
        let mut config = ConfigMap::default();
        config.metadata.name = Some(format!("c{number}"));
        configs.create(&config).await.unwrap();
    }
    let informers = Informers::new(client.clone());
    let informer = informers.of::<ConfigMap>().namespace("default").start();
    synced(&informer).await;
    assert_eq!(informer.lister().len(), 700);
    let health = &informer.health().watches[0];
    assert_eq!(health.fallbacks, fallbacks, "{health:?}");
    let mut events = informer.subscribe();
    let first = next_ones(&mut events, 701).await;
    assert_eq!(first.last().unwrap(), "synced");
    configs.delete("c0").await.unwrap();
    assert_eq!(within_limit(next_ones(&mut events, 1)).await, ["-c0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn streaming_lists_are_requested() {
    if let Some(plane) = ControlPlane::start() {
        all_objects_are_received(plane, 0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_streaming_lists_is_read_in_pages() {
    if let Some(plane) = ControlPlane::start_with(&["--feature-gates=WatchList=false"]) {
        all_objects_are_received(plane, 1).await;
    }
}
