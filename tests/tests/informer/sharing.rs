//! Equal informers share one watch, which ends with the last handle.

use std::time::Duration;

use crdkit::{
    Client,
    informer::{Executor, Index, Informers, SyncError},
};
use crdkit_tests::{ControlPlane, Forwarder};
use k8s_openapi::api::core::v1::LimitRange;

use crate::{
    next_ones,
    served::{Machine, Sample, client, client_of_control_plane, namespace},
    synced, until, within_limit,
};

#[tokio::test]
async fn equal_informers_share_one_watch() {
    let Some(admin) = client_of_control_plane("it counts requests on the wire").await else { return };
    let namespace = namespace(&admin, "informer-shared").await;
    let machines = admin.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::named("a", 5)).await.unwrap();
    let config = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&config).await;
    let informers = Informers::new(Client::try_from(forwarder.config(config)).unwrap());
    let of_namespace = || informers.of::<Machine>().namespace(&namespace);
    let first = of_namespace().start();
    synced(&first).await;

    let by_size = Index::new("size", |machine: &Machine| [machine.spec.size]);
    let second = of_namespace().index(&by_size).start();
    assert_eq!(second.lister().by(&by_size, &5).len(), 1, "it is synced already");
    assert_eq!(first.lister().by(&by_size, &5).len(), 1);
    let _clone = informers.clone().of::<Machine>().namespace(&namespace).start();
    assert_eq!(forwarder.connections(), 1);

    let other = of_namespace().labels("app=web").start();
    synced(&other).await;
    assert!(other.lister().is_empty(), "it is another informer");
    assert_eq!(forwarder.connections(), 1, "on the same connection");

    let transformed = of_namespace().transform(|machine| machine.spec.size = 0).start();
    synced(&transformed).await;
    assert_eq!(transformed.lister().by(&by_size, &0).len(), 1);
    assert_eq!(first.lister().by(&by_size, &5).len(), 1);
}

#[tokio::test]
async fn a_stopped_informer_is_not_joined() {
    let Some(admin) = client().await else { return };
    let namespace = namespace(&admin, "informer-again").await;
    let informers = Informers::new(admin.clone());
    let first = informers.of::<Machine>().namespace(&namespace).start();
    synced(&first).await;
    informers.stop();
    let again = informers.of::<Machine>().namespace(&namespace).start();
    synced(&again).await;
    assert_eq!(first.health().executor, Executor::Stopped);
    let machines = admin.resources::<Machine>().namespace(&namespace);
    let written = machines.create(&Machine::named("a", 1)).await.unwrap();
    within_limit(again.wait_for(&written)).await.unwrap();
    assert!(first.lister().is_empty());
}

#[tokio::test]
async fn waiting_for_a_stopped_informer_ends() {
    if ControlPlane::shared().is_none() {
        return;
    }
    let mut config = ControlPlane::shared().unwrap().config();
    config.cluster_url = "https://127.0.0.1:1/".parse().unwrap();
    let informer = Informers::new(Client::try_from(config).unwrap()).of::<Machine>().start();
    let waiting = informer.clone();
    let waiting = tokio::spawn(async move { waiting.synced().await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    informer.stop();
    let error = within_limit(waiting).await.unwrap().unwrap_err();
    assert!(matches!(error, SyncError::Stopped), "{error}");
}

#[tokio::test]
async fn the_last_handle_ends_the_watch() {
    let Some(admin) = client_of_control_plane("it counts requests on the wire").await else { return };
    let namespace = namespace(&admin, "informer-dropped").await;
    let limits = admin.resources::<LimitRange>().namespace(&namespace);
    let limit = |name: &str| {
        let mut limit = LimitRange::default();
        limit.metadata.name = Some(name.to_owned());
        limit
    };
    let config = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&config).await;
    let client = Client::try_from(forwarder.config(config)).unwrap();
    let informers = Informers::new(client);
    let informer = informers.of::<LimitRange>().namespace(&namespace).start();
    synced(&informer).await;
    assert_eq!(forwarder.open_connections(), 1);
    let (lister, mut events) = (informer.lister(), informer.subscribe());
    drop(informer);
    limits.create(&limit("a")).await.unwrap();
    assert_eq!(next_ones(&mut events, 2).await, ["synced", "+a"]);
    drop(events);
    limits.create(&limit("b")).await.unwrap();
    until(|| lister.namespace(&namespace).get("b").is_some()).await;
    drop(lister);
    until(|| forwarder.open_connections() == 0).await;
}
