//! Storms on a real control plane, each decided by a seed: writers write, and the control plane is cut off, frozen, killed,
//! compacted and put back.
//!
//! `CRDKIT_PLANE_SEED=n` plays one seed alone, `CRDKIT_PLANE_SCHEDULES=n` so many.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crdkit::Client;
use crdkit_tests::{ControlPlane, Forwarder, faults::Random};
use tokio::{
    task::{JoinSet, block_in_place},
    time::sleep,
};

use super::{Follower, Machines, converge, plane, start};
use crate::{
    served::{Machine, Sample, client_of, namespace},
    synced, until,
};

/// Storms that are played unless a number is given.
const SCHEDULES: u64 = 3;
const WRITERS: u64 = 3;
const NAMES: usize = 12;

#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Cut,
    Close,
    Swallow,
    Freeze,
    Kill,
    Restore,
}

const DISTURBANCES: [Disturbance; 6] = [
    Disturbance::Cut,
    Disturbance::Close,
    Disturbance::Swallow,
    Disturbance::Freeze,
    Disturbance::Kill,
    Disturbance::Restore,
];

#[tokio::test(flavor = "multi_thread")]
async fn storms_with_writers_on_a_real_control_plane() {
    let flags = ["--etcd-compaction-interval=3s"];
    let Some(mut plane) = plane(&flags).await else {
        return;
    };
    let schedules = number("CRDKIT_PLANE_SCHEDULES").unwrap_or(SCHEDULES);
    let seeds = match number("CRDKIT_PLANE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..schedules + 1,
    };
    for seed in seeds {
        let played = play(seed, &mut plane).await;
        let time = played.unwrap_or_else(|error| panic!("CRDKIT_PLANE_SEED={seed}: {error}"));
        println!("{seed}: right after {time:?}");
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

async fn play(seed: u64, plane: &mut ControlPlane) -> Result<Duration, String> {
    let mut random = Random::for_purpose(seed, "plane", 0);
    let client = client_of(plane);
    let namespace = namespace(&client, &format!("storm-{seed}")).await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let forwarder = Forwarder::to(&plane.config()).await;
    let through = Client::try_from(forwarder.config(plane.config())).unwrap();
    let informer = start(through, &namespace);
    synced(&informer).await;
    let follower = Follower::of(&informer);

    let mut backup = plane.back_up();
    let over = Arc::new(AtomicBool::new(false));
    let writers = writers(seed, &machines, &over);
    let mut disturbances = DISTURBANCES.to_vec();
    while !disturbances.is_empty() {
        let disturbance = disturbances.remove(random.below(disturbances.len()));
        sleep(pause(&mut random)).await;
        match disturbance {
            Disturbance::Cut => forwarder.cut(),
            Disturbance::Close => forwarder.close(),
            Disturbance::Swallow => forwarder.swallow(),
            Disturbance::Freeze => plane.freeze(),
            Disturbance::Kill => block_in_place(|| {
                plane.kill();
                plane.resume();
            }),
            Disturbance::Restore => block_in_place(|| plane.restore(&backup)),
        }
        sleep(pause(&mut random)).await;
        forwarder.open();
        plane.thaw();
        if random.percent(30) {
            backup = plane.back_up();
        }
    }
    over.store(true, Ordering::SeqCst);
    writers.join_all().await;
    restore_noticeably(plane, &machines, &informer).await;
    converge(&machines, &informer, &follower).await
}

fn pause(random: &mut Random) -> Duration {
    Duration::from_millis(random.below(1500) as u64)
}

/// Puts back what the informer has seen the future of, and stays before where it has been: a restore that writes have gone past
/// unseen cannot be noticed by anybody.
async fn restore_noticeably(
    plane: &mut ControlPlane,
    machines: &Machines,
    informer: &crdkit::informer::Informer<Machine>,
) {
    let machines = machines.clone().max_retries(100);
    let backup = plane.back_up();
    for size in 0..300 {
        let machine = Machine::named("lost", size);
        machines.create(&machine).await.unwrap();
        machines.delete("lost").await.unwrap();
    }
    let last = machines.create(&Machine::named("lost", 7)).await.unwrap();
    until(|| {
        let mut shown = informer.lister().all().into_iter();
        let shown = shown.find(|shown| shown.metadata.name.as_deref() == Some("lost"));
        shown.is_some_and(|shown| shown.metadata.uid == last.metadata.uid)
    })
    .await;
    block_in_place(|| plane.restore(&backup));
}

fn writers(seed: u64, machines: &Machines, over: &Arc<AtomicBool>) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let random = Random::for_purpose(seed, "writer", writer);
        writers.spawn(write(random, machines.clone().max_retries(0), over.clone()));
    }
    writers
}

/// Writes whatever comes of it, until the storm is over.
async fn write(mut random: Random, machines: Machines, over: Arc<AtomicBool>) {
    while !over.load(Ordering::SeqCst) {
        let name = format!("m{}", random.below(NAMES));
        let size = i32::try_from(random.below(1000)).expect("a small number fits");
        match random.below(6) {
            0 => drop(machines.delete(&name).await),
            1 | 2 => drop(machines.create(&Machine::named(&name, size)).await),
            _ => drop(
                machines
                    .update(&name, |machine| machine.spec.size = size)
                    .await,
            ),
        }
        sleep(Duration::from_millis(random.below(40) as u64)).await;
    }
}
