//! Storms with restores of the storage.
//!
//! Writes between a restore and the next list may never be received, if their versions are beyond those that the
//! informer has seen: the protocol has no sign of it. So the state is compared after a last restore that the informer
//! can detect.

use std::{sync::Arc, time::Duration};

use crdkit::informer::Informers;
use crdkit_tests::{
    apiserver::{ApiServer, Settings, Snapshot, Streaming},
    faults::{Faults, Random},
    seeds,
};
use tokio::time::sleep;

use crate::{
    SEED,
    follower::{Follower, converge},
    run::Transport,
    run_paused, schedules,
    single_faults::content,
    transports::Memory,
};

/// One of this number of schedules runs here.
const SHARE: u64 = 20;
/// The limit for an informer to converge, with any connection.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn storms_with_restores() {
    let mut mistakes = Vec::new();
    for seed in seeds(SEED, schedules().div_ceil(SHARE)) {
        if let Err(mistake) = run_paused(run_case(seed)) {
            mistakes.push(format!("{SEED}={seed}: {mistake}"));
        }
    }
    let count = mistakes.len();
    assert!(count == 0, "{count} mistakes:\n{}", mistakes.join("\n\n"));
}

fn settings(random: &mut Random) -> Settings {
    Settings {
        streaming: *random.pick(&[Streaming::Served, Streaming::Refused, Streaming::Ignored]),
        page: *random.pick(&[500, 3]),
        expires_in_watch: random.percent(50),
        ..Settings::default()
    }
}

async fn run_case(seed: u64) -> Result<(), String> {
    let mut random = Random::for_purpose(seed, "restores", 0);
    let percent = *random.pick(&[0, 0, 30, 60]);
    let server = ApiServer::new(settings(&mut random), Faults::new(seed, percent));
    write(&server, &mut random, 20);
    let informer = Informers::new(Memory.client(&server).await).of().start();
    let follower = Follower::of(&informer);
    let mut backup = server.storage().snapshot();
    for _ in 0..4 + random.below(16) {
        step(&server, &mut backup, &mut random).await;
    }
    server.faults().stop();
    restore_detectably(&server, &mut random).await;
    let converged = converge(&server, &informer, &follower, LIMIT).await;
    converged.map(drop)
}

async fn step(server: &Arc<ApiServer>, backup: &mut Snapshot, random: &mut Random) {
    match random.below(12) {
        0..5 => {
            let count = random.magnitude(20) + 1;
            write(server, random, count);
        }
        5 | 6 => *backup = server.storage().snapshot(),
        7 => server.storage().compact(),
        8 => server.disconnect(),
        _ => restore(server, backup, random).await,
    }
    if random.percent(60) {
        sleep(Duration::from_millis(random.magnitude(200_000) as u64)).await;
    }
}

async fn restore(server: &Arc<ApiServer>, backup: &Snapshot, random: &mut Random) {
    match random.below(3) {
        0 => server.stop_serving(),
        1 => server.stall_connections(),
        _ => {}
    }
    server.storage().restore(backup);
    if random.percent(50) {
        let count = random.magnitude(20);
        write(server, random, count);
    }
    if random.percent(30) {
        sleep(Duration::from_secs(random.below(60) as u64)).await;
    }
    server.resume_serving();
}

/// Restores a state older than the informer's, and stays below the versions that it has seen.
async fn restore_detectably(server: &Arc<ApiServer>, random: &mut Random) {
    let backup = server.storage().snapshot();
    write(server, random, 10);
    for _ in 0..10 {
        server.storage().advance_version();
    }
    // Until the informer has recovered from the faults and received bookmarks.
    sleep(Duration::from_secs(600)).await;
    server.stop_serving();
    server.storage().restore(&backup);
    write(server, random, 5);
    server.resume_serving();
}

fn write(server: &ApiServer, random: &mut Random, count: usize) {
    let storage = server.storage();
    for _ in 0..count {
        let namespace = *random.pick(&["prod", "staging"]);
        let name = format!("widget-{}", random.below(8));
        let size = random.below(1000);
        match random.below(5) {
            0 => drop(storage.delete(namespace, &name)),
            1 | 2 => drop(storage.create(namespace, &name, content(size))),
            _ => drop(storage.update(namespace, &name, |old| *old = content(size))),
        }
    }
}
