//! Each order of a restore, writes, and the reconnection of an informer that has seen the lost future.
//!
//! A restore takes seconds: informers, each with a namespace and a connection of its own, share one where they can.

use std::{future::Future, time::Duration};

use crdkit::{Client, informer::Informer};
use crdkit_tests::{ControlPlane, Forwarder, RestoreOrder};
use futures_util::future::join_all;
use tokio::{task::block_in_place, time::sleep};

use super::{Follower, Machines, converge, plane, spend, start};
use crate::{
    served::{Machine, Sample, client_of, namespace},
    synced, until,
};

/// In which an informer that is right sees a change.
const SOON: Duration = Duration::from_secs(10);

struct Scene {
    order: RestoreOrder,
    machines: Machines,
    forwarder: Forwarder,
    informer: Informer<Machine>,
    follower: Follower,
}

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_is_right_soon_after_a_restore_in_every_order() {
    let Some(mut plane) = plane(&[]).await else {
        return;
    };
    for past in [false, true] {
        play(&mut plane, past).await;
    }
}

/// The orders whose writes reach beyond what the informers have seen, or those whose writes do not.
async fn play(plane: &mut ControlPlane, past: bool) {
    let orders = RestoreOrder::all().filter(|order| order.past == past);
    let scenes = join_all(orders.map(|order| Scene::new(plane, order))).await;
    let backup = plane.back_up();
    spend(&scenes[0].machines).await;
    each(&scenes, Scene::live_through_a_future).await;
    let seen = || scenes.iter().map(Scene::seen);
    let (lowest, highest) = (seen().min().unwrap(), seen().max().unwrap());
    for scene in &scenes {
        scene.disconnect();
    }
    block_in_place(|| plane.restore(&backup));

    let (disconnected, connected): (Vec<_>, Vec<_>) = scenes.iter().partition(|scene| scene.order.writes_first);
    each(connected.iter().copied(), Scene::reconnect).await;
    each(&scenes, Scene::write).await;
    if past {
        go_past(highest, &scenes[0].machines).await;
        each(&scenes, Scene::write_more).await;
    } else {
        assert!(newest(&scenes[0].machines).await < lowest);
    }
    for scene in disconnected {
        scene.forwarder.open();
    }
    each(&scenes, Scene::is_right).await;
}

async fn each<'a, F: Future<Output = ()>>(scenes: impl IntoIterator<Item = &'a Scene>, act: impl Fn(&'a Scene) -> F) {
    join_all(scenes.into_iter().map(act)).await;
}

/// Makes versions beyond one.
async fn go_past(version: u64, machines: &Machines) {
    while newest(machines).await <= version {
        spend(machines).await;
    }
}

async fn newest(machines: &Machines) -> u64 {
    let list = machines.list().await.unwrap();
    list.metadata.resource_version.unwrap().parse().unwrap()
}

impl Scene {
    async fn new(plane: &ControlPlane, order: RestoreOrder) -> Self {
        let admin = client_of(plane).max_retries(100);
        let name = format!("{order:?}").to_lowercase();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
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

    /// The informer sees what will be lost, and a bookmark, which comes before the end of a watch.
    async fn live_through_a_future(&self) {
        self.resize("changed", 100).await;
        self.machines.delete("deleted").await.unwrap();
        for name in ["twin", "lost"] {
            let machine = Machine::named(name, 100);
            self.machines.create(&machine).await.unwrap();
        }
        let shows = |name| self.informer.lister().all().into_iter().any(named(name));
        until(|| shows("lost") && !shows("deleted")).await;
        let resumed = || self.informer.health().watches[0].resumed;
        let before = resumed();
        until(|| resumed() > before).await;
    }

    fn disconnect(&self) {
        match self.order.cut {
            true => self.forwarder.close(),
            false => self.forwarder.swallow(),
        }
    }

    async fn reconnect(&self) {
        let before = self.forwarder.connections();
        self.forwarder.open();
        until(|| self.forwarder.connections() > before).await;
        sleep(Duration::from_secs(1)).await;
    }

    /// Makes versions of the lost future again: of the same object with other content, and of another object.
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

    /// The version up to which the informer has seen.
    fn seen(&self) -> u64 {
        let health = self.informer.health();
        let version = health.watches[0].resource_version.as_deref();
        version.unwrap().parse().unwrap()
    }

    async fn is_right(&self) {
        let order = self.order;
        let time = self.converge().await;
        println!("{order:?}: right after {time:?}");
        self.resize("same", 300).await;
        let time = self.converge().await;
        assert!(time < SOON, "{order:?}: told after {time:?}");
    }

    async fn converge(&self) -> Duration {
        let converged = converge(&self.machines, &self.informer, &self.follower).await;
        converged.unwrap_or_else(|error| panic!("{:?}: {error}", self.order))
    }
}

fn named(name: &str) -> impl Fn(std::sync::Arc<Machine>) -> bool {
    move |machine| machine.metadata.name.as_deref() == Some(name)
}
