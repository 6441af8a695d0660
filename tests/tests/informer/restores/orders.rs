//! Each order of a restore, writes, and the reconnection of an informer that has received the discarded changes.
//!
//! A restore takes seconds, so the informers, each with its own namespace and connection, share restores.

use std::{future::Future, time::Duration};

use crdkit::{Client, informer::Informer};
use crdkit_tests::{ControlPlane, Forwarder, RestoreOrder};
use futures_util::future::join_all;
use tokio::{task::block_in_place, time::sleep};

use super::{Follower, Machines, advance_versions, converge, plane, start};
use crate::{
    served::{Machine, Sample, client_of, namespace},
    synced, until,
};

/// The limit for a converged informer to receive a change.
const SOON: Duration = Duration::from_secs(10);

struct Fixture {
    order: RestoreOrder,
    machines: Machines,
    forwarder: Forwarder,
    informer: Informer<Machine>,
    follower: Follower,
}

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_converges_soon_after_a_restore_in_every_order() {
    let Some(mut plane) = plane(&[]).await else {
        return;
    };
    for past in [false, true] {
        run(&mut plane, past).await;
    }
}

/// Runs the orders with writes beyond the versions that the informers have seen, or those without.
async fn run(plane: &mut ControlPlane, past: bool) {
    let orders = RestoreOrder::all().filter(|order| order.past == past);
    let fixtures = join_all(orders.map(|order| Fixture::new(plane, order))).await;
    let backup = plane.back_up();
    advance_versions(&fixtures[0].machines).await;
    each(&fixtures, Fixture::receive_discarded_changes).await;
    let seen = || fixtures.iter().map(Fixture::seen);
    let (lowest, highest) = (seen().min().unwrap(), seen().max().unwrap());
    for fixture in &fixtures {
        fixture.disconnect();
    }
    block_in_place(|| plane.restore(&backup));

    let (disconnected, connected): (Vec<_>, Vec<_>) = fixtures.iter().partition(|fixture| fixture.order.writes_first);
    each(connected.iter().copied(), Fixture::reconnect).await;
    each(&fixtures, Fixture::write).await;
    if past {
        go_past(highest, &fixtures[0].machines).await;
        each(&fixtures, Fixture::write_more).await;
    } else {
        assert!(newest(&fixtures[0].machines).await < lowest);
    }
    for fixture in disconnected {
        fixture.forwarder.open();
    }
    each(&fixtures, Fixture::expect_converged).await;
}

async fn each<'a, F: Future<Output = ()>>(
    fixtures: impl IntoIterator<Item = &'a Fixture>,
    act: impl Fn(&'a Fixture) -> F,
) {
    join_all(fixtures.into_iter().map(act)).await;
}

/// Advances the version beyond another.
async fn go_past(version: u64, machines: &Machines) {
    while newest(machines).await <= version {
        advance_versions(machines).await;
    }
}

async fn newest(machines: &Machines) -> u64 {
    let list = machines.list().await.unwrap();
    list.metadata.resource_version.unwrap().parse().unwrap()
}

impl Fixture {
    async fn new(plane: &ControlPlane, order: RestoreOrder) -> Self {
        let admin = client_of(plane).max_retries(100);
        let name: String = format!("{order:?}").to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        let namespace = namespace(&admin, &name).await;
        let machines = admin.resources::<Machine>().namespace(&namespace);
        for name in ["same", "changed", "deleted"] {
            machines.create(&Machine::named(name, 1)).await.unwrap();
        }
        let forwarder = Forwarder::to(&plane.config()).await;
        let through = Client::try_from(forwarder.config(plane.config())).unwrap();
        let informer = start(through, &namespace);
        synced(&informer).await;
        let follower = Follower::of(&informer);
        Self { order, machines, forwarder, informer, follower }
    }

    /// Waits until the informer has received changes that the restore will discard, and a bookmark before the end of a
    /// watch.
    async fn receive_discarded_changes(&self) {
        self.resize("changed", 100).await;
        self.machines.delete("deleted").await.unwrap();
        for name in ["twin", "lost"] {
            let machine = Machine::named(name, 100);
            self.machines.create(&machine).await.unwrap();
        }
        let shows = |name| self.informer.lister().list().into_iter().any(named(name));
        until(|| shows("lost") && !shows("deleted")).await;
        let resumed = || self.informer.health().watches[0].resumed;
        let before = resumed();
        until(|| resumed() > before).await;
    }

    fn disconnect(&self) {
        if self.order.cut { self.forwarder.close() } else { self.forwarder.swallow() }
    }

    async fn reconnect(&self) {
        let before = self.forwarder.connections();
        self.forwarder.open();
        until(|| self.forwarder.connections() > before).await;
        sleep(Duration::from_secs(1)).await;
    }

    /// Uses the discarded versions again: for the same object with other content, and for another object.
    async fn write(&self) {
        self.resize("changed", 200).await;
        let twin = Machine::named("twin", 200);
        self.machines.create(&twin).await.unwrap();
    }

    async fn write_more(&self) {
        for size in 201..204 {
            for name in ["deleted", "changed", "twin"] {
                self.resize(name, size).await;
            }
        }
    }

    async fn resize(&self, name: &str, size: i32) {
        let resize = |machine: &mut Machine| machine.spec.size = size;
        self.machines.update(name, resize).await.unwrap();
    }

    /// The last version that the informer has seen.
    fn seen(&self) -> u64 {
        let health = self.informer.health();
        let version = health.watches[0].resource_version.as_deref();
        version.unwrap().parse().unwrap()
    }

    async fn expect_converged(&self) {
        let order = self.order;
        let time = self.converge().await;
        println!("{order:?}: equal after {time:?}");
        self.resize("same", 300).await;
        let time = self.converge().await;
        assert!(time < SOON, "{order:?}: received after {time:?}");
    }

    async fn converge(&self) -> Duration {
        let converged = converge(&self.machines, &self.informer, &self.follower).await;
        converged.unwrap_or_else(|error| panic!("{:?}: {error}", self.order))
    }
}

fn named(name: &str) -> impl Fn(std::sync::Arc<Machine>) -> bool {
    move |machine| machine.metadata.name.as_deref() == Some(name)
}
