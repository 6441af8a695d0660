//! Storms on a real control plane, each determined by a seed: while objects are written, the control plane is cut off,
//! slowed down, frozen, killed, compacted and restored. At the end the store and a subscriber equal the control plane,
//! and each received state was written.
//!
//! `tests/README.md` describes how to run one, or many.

mod writes;

use std::time::{Duration, Instant};

use crdkit::{Client, informer::Informer};
use crdkit_tests::{ControlPlane, Forwarder, case_count, faults::Random, seeds};
use tokio::{task::block_in_place, time::sleep};

use super::{Follower, Machines, advance_versions, converge, plane, start};
use crate::{
    served::{Machine, Sample, client_of, namespace},
    synced, until,
};

use writes::Writes;

/// The number of storms of a whole run, of about half a minute each.
const SCHEDULES: u64 = 2;
/// The maximum duration of a disturbance, and of the pause before it.
const LONGEST: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Cut,
    Close,
    Swallow,
    Trickle,
    Freeze,
    Kill,
    Restore,
}

const DISTURBANCES: [Disturbance; 7] = [
    Disturbance::Cut,
    Disturbance::Close,
    Disturbance::Swallow,
    Disturbance::Trickle,
    Disturbance::Freeze,
    Disturbance::Kill,
    Disturbance::Restore,
];

#[tokio::test(flavor = "multi_thread")]
async fn storms_with_writers_on_a_real_control_plane() {
    let flags = ["--etcd-compaction-interval=1s"];
    let Some(mut plane) = plane(&flags).await else {
        return;
    };
    let schedules = case_count("CRDKIT_PLANE_SCHEDULES", SCHEDULES);
    for seed in seeds("CRDKIT_PLANE_SEED", schedules) {
        let outcome = run(seed, &mut plane).await;
        let report = outcome.unwrap_or_else(|error| panic!("CRDKIT_PLANE_SEED={seed}: {error}"));
        println!("{seed}: {report}");
    }
}

/// Runs one storm, and returns a report.
async fn run(seed: u64, plane: &mut ControlPlane) -> Result<String, String> {
    let began = Instant::now();
    let mut random = Random::for_purpose(seed, "plane", 0);
    let client = client_of(plane);
    let namespace = namespace(&client, &format!("storm-{seed}")).await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let forwarder = Forwarder::to(&plane.config()).await;
    let through = Client::try_from(forwarder.config(plane.config())).unwrap();
    let informer = start(through, &namespace);
    synced(&informer).await;
    let follower = Follower::of(&informer);
    let writes = Writes::begin(seed, &machines);
    writes.check(informer.subscribe());
    disturb(&mut random, plane, &forwarder).await;
    let written = writes.end().await;
    restore_detectably(plane, &machines, &informer).await;
    let time = converge(&machines, &informer, &follower).await?;
    writes.verdict()?;
    let health = &informer.health().watches[0];
    Ok(format!(
        "equal after {time:?}, {written}, {} lists, {} expired, {} desyncs, {} resumed, {} failures, {:?} in all",
        health.lists,
        health.expired,
        health.desyncs,
        health.resumed,
        health.failures,
        began.elapsed()
    ))
}

/// Each disturbance once, in any order.
async fn disturb(random: &mut Random, plane: &mut ControlPlane, forwarder: &Forwarder) {
    let mut backup = plane.back_up();
    let mut disturbances = DISTURBANCES.to_vec();
    while !disturbances.is_empty() {
        let disturbance = disturbances.remove(random.below(disturbances.len()));
        sleep(pause(random)).await;
        match disturbance {
            Disturbance::Cut => forwarder.cut(),
            Disturbance::Close => forwarder.close(),
            Disturbance::Swallow => forwarder.swallow(),
            Disturbance::Trickle => forwarder.trickle(),
            Disturbance::Freeze => plane.freeze(),
            Disturbance::Kill => block_in_place(|| {
                plane.kill();
                plane.resume();
            }),
            Disturbance::Restore => block_in_place(|| plane.restore(&backup)),
        }
        sleep(pause(random)).await;
        forwarder.open();
        plane.thaw();
        if random.percent(30) {
            backup = plane.back_up();
        }
    }
}

/// Returns a duration, mostly a short one.
fn pause(random: &mut Random) -> Duration {
    let longest = usize::try_from(LONGEST.as_millis()).expect("it is short");
    Duration::from_millis(random.magnitude(longest) as u64)
}

/// Restores a state older than the informer's, and stays below the versions that it has seen: after more writes, the
/// restore could not be detected.
async fn restore_detectably(plane: &mut ControlPlane, machines: &Machines, informer: &Informer<Machine>) {
    let machines = machines.clone().max_retries(100);
    let backup = plane.back_up();
    advance_versions(&machines).await;
    let last = machines.create(&Machine::named("lost", 7)).await.unwrap();
    until(|| {
        let shown = informer.lister().list().into_iter().find(|shown| shown.metadata.name.as_deref() == Some("lost"));
        shown.is_some_and(|shown| shown.metadata.uid == last.metadata.uid)
    })
    .await;
    block_in_place(|| plane.restore(&backup));
}
