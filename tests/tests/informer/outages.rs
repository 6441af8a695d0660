//! Broken connections, restarts and compactions.

use std::time::Duration;

use crdkit::{
    Client, CustomResourceExt,
    informer::{Informer, Informers, Timeouts, WatchState},
};
use crdkit_tests::{ControlPlane, Forwarder};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use tokio::task::block_in_place;

use crate::{
    next, next_ones,
    served::{Machine, Sample, client_of, client_of_control_plane, namespace},
    synced, until, within_limit,
};

fn quick() -> Timeouts {
    Timeouts::default().backoff(Duration::from_millis(20), Duration::from_millis(200))
}

fn through(forwarder: &Forwarder, config: Config) -> Client {
    Client::try_from(forwarder.config(config)).unwrap()
}

fn start(client: Client, namespace: &str) -> Informer<Machine> {
    let informers = Informers::new(client);
    informers.of::<Machine>().namespace(namespace).timeouts(quick()).start()
}

#[tokio::test]
async fn a_watch_resumes_after_its_connection_broke() {
    let Some(admin) = client_of_control_plane("it breaks connections").await else { return };
    let namespace = namespace(&admin, "informer-cut").await;
    let machines = admin.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("gone", 1)).await.unwrap();
    let config = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&config).await;
    let informer = start(through(&forwarder, config), &namespace);
    synced(&informer).await;
    let mut events = informer.subscribe();
    assert_eq!(next_ones(&mut events, 2).await, ["+gone", "synced"]);

    for size in 0..10 {
        forwarder.cut();
        machines.create(&Machine::named(&format!("m{size}"), size)).await.unwrap();
        assert_eq!(next(&mut events).await, format!("+m{size}"));
    }
    forwarder.close();
    machines.delete("gone").await.unwrap();
    machines.create(&Machine::named("new", 1)).await.unwrap();
    until(|| matches!(informer.health().watches[0].state, WatchState::Disconnected { .. })).await;
    forwarder.open();
    assert_eq!(next_ones(&mut events, 2).await, ["-gone", "+new"]);
    let health = &informer.health().watches[0];
    assert_eq!((health.lists, health.expired, health.desyncs), (1, 0, 0), "{health:?}");
    assert!(health.resumed >= 10, "{health:?}");
    assert!(forwarder.connections() > 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_around_a_restart_are_received_once() {
    let Some(mut plane) = ControlPlane::start() else {
        return;
    };
    plane.install(&serde_json::to_value(Machine::crd()).unwrap()).await.expect_accepted();
    let admin = client_of(&plane);
    let machines = admin.resources::<Machine>().namespace("default");
    for name in ["a", "b"] {
        machines.create(&Machine::named(name, 1)).await.unwrap();
    }
    let informer = start(client_of(&plane), "default");
    synced(&informer).await;
    let mut events = informer.subscribe();
    assert_eq!(next_ones(&mut events, 3).await, ["+a", "+b", "synced"]);

    block_in_place(|| plane.halt());
    until(|| matches!(informer.health().watches[0].state, WatchState::Disconnected { .. })).await;
    assert!(informer.health().staleness().unwrap() > Duration::ZERO);
    assert_eq!(informer.lister().len(), 2);
    block_in_place(|| plane.resume());
    let patient = machines.max_retries(1000);
    patient.update("a", |machine| machine.spec.size = 2).await.unwrap();
    patient.delete("b").await.unwrap();
    assert_eq!(next_ones(&mut events, 2).await, ["a", "-b"]);
    let fresh = patient.create(&Machine::named("c", 1)).await.unwrap();
    within_limit(informer.wait_for(&fresh)).await.unwrap();
    until(|| informer.health().is_good()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_leads_to_a_list() {
    let flags = ["--etcd-compaction-interval=1s", "--watch-cache=false"];
    let Some(plane) = ControlPlane::start_with(&flags) else {
        return;
    };
    let admin = client_of(&plane);
    let configs = admin.resources::<ConfigMap>().namespace("default");
    let config = |name: &str| {
        let mut config = ConfigMap::default();
        config.metadata.name = Some(name.to_owned());
        config
    };
    for name in ["changed", "deleted", "same"] {
        configs.create(&config(name)).await.unwrap();
    }
    let forwarder = Forwarder::to(&plane.config()).await;
    let informer = Informers::new(through(&forwarder, plane.config()))
        .of::<ConfigMap>()
        .namespace("default")
        .timeouts(quick())
        .start();
    synced(&informer).await;
    let same = informer.lister().namespace("default").get("same").unwrap();
    let mut events = informer.subscribe();
    let first = next_ones(&mut events, 4).await;
    assert_eq!(first.last().unwrap(), "synced");

    forwarder.close();
    configs.delete("deleted").await.unwrap();
    configs.create(&config("new")).await.unwrap();
    let mut version = 0;
    // Each compaction removes the versions before the previous compaction.
    let deadline = tokio::time::Instant::now() + Duration::from_secs(6);
    while tokio::time::Instant::now() < deadline {
        version += 1;
        let change = |config: &mut ConfigMap| {
            config.data.get_or_insert_default().insert("n".into(), version.to_string());
        };
        configs.update("changed", change).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    forwarder.open();
    let mut received = next_ones(&mut events, 3).await;
    received.sort();
    assert_eq!(received, ["+new", "-deleted", "changed"]);
    let health = &informer.health().watches[0];
    assert!(health.expired >= 1, "{health:?}");
    let again = informer.lister().namespace("default").get("same").unwrap();
    assert!(std::sync::Arc::ptr_eq(&same, &again), "an object that is the same is not decoded again");
}
