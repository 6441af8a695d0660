//! What informers share of their connections.

use std::time::Duration;

use crdkit::informer::{Informers, Timings};
use crdkit_tests::ControlPlane;

use crate::{
    forwarder::Forwarder,
    served::{Machine, Sample, client, namespace},
    synced, until,
};

const NAMESPACES: usize = 5;

#[tokio::test]
async fn watches_of_several_namespaces_share_a_connection() {
    let Some(admin) = client().await else { return };
    let mut names = Vec::new();
    for number in 0..NAMESPACES {
        names.push(namespace(&admin, &format!("informer-share-{number}")).await);
    }
    let config = ControlPlane::shared().unwrap().config();
    let forwarder = Forwarder::to(&config).await;
    let timings = Timings::default().backoff(Duration::from_millis(20), Duration::from_millis(200));
    let informer = Informers::new(forwarder.client(config))
        .of::<Machine>()
        .namespaces(&names)
        .timings(timings)
        .start();
    synced(&informer).await;
    until(|| forwarder.live() == 1).await;

    // It is lost for all of them together, and each goes on by itself.
    forwarder.cut();
    for name in &names {
        let machines = admin.resources::<Machine>().namespace(name);
        machines.create(&Machine::named("a", 1)).await.unwrap();
    }
    until(|| informer.lister().len() == NAMESPACES).await;
    until(|| forwarder.live() == 1).await;
}
