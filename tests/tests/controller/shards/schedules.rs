//! Random schedules of three replicas that join, leave, crash, are stopped and continued, and lose their connection.

use std::time::Duration;

use crdkit::testing::ApiServer;
use crdkit_tests::{case_count, faults::Random, number};
use tokio::time::{Instant, sleep};

use super::replica::{Replica, Sea, millis_below};

/// The number of schedules.
const COUNT: &str = "CRDKIT_SHARD_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_SHARD_SEED";

const FLEETS: usize = 6;
const SHARDS: u16 = 4;
const EVENTS: usize = 8;
/// The time in which every fleet must be written: that of a lease, and of a few attempts, lists and writes.
const RECOVERY: Duration = Duration::from_secs(30);

/// Three slots for replicas.
struct Schedule {
    sea: Sea,
    random: Random,
    replicas: [Option<Replica>; 3],
    started: usize,
    events: Vec<String>,
}

impl Schedule {
    async fn new(seed: u64) -> Self {
        let server = match seed % 2 {
            0 => ApiServer::new(),
            _ => ApiServer::new().with_sharded_lists(),
        };
        let sea = Sea::new(server, FLEETS, SHARDS).await;
        Self { sea, random: Random::new(seed), replicas: [None, None, None], started: 0, events: Vec::new() }
    }

    fn join(&mut self, slot: usize) {
        self.started += 1;
        let identity = format!("replica{}", self.started);
        self.replicas[slot] = Some(self.sea.start(&identity, self.random.number()));
    }

    async fn run(&mut self) {
        self.join(0);
        for _ in 0..EVENTS {
            sleep(millis_below(&mut self.random, 15_000)).await;
            let slot = self.random.below(3);
            let event = self.change(slot).await;
            self.events.push(format!("{event} {slot}"));
        }
        self.replicas.iter().flatten().for_each(Replica::heal);
        if self.replicas.iter().all(Option::is_none) {
            self.join(0);
        }
    }

    async fn change(&mut self, slot: usize) -> &'static str {
        let Some(replica) = self.replicas[slot].take() else {
            self.join(slot);
            return "join";
        };
        match self.random.below(8) {
            _ if replica.is_impaired() => {
                replica.heal();
                self.replicas[slot] = Some(replica);
                "heal"
            }
            0 => {
                // Meanwhile others may change.
                tokio::spawn(replica.stop());
                "leave"
            }
            1 | 2 => {
                replica.crash().await;
                "crash"
            }
            3 | 4 => {
                replica.cut_off();
                self.replicas[slot] = Some(replica);
                "cut off"
            }
            _ => {
                replica.freeze();
                self.replicas[slot] = Some(replica);
                "freeze"
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_one_replica_writes_for_an_object_and_none_is_forgotten() {
    let first = number(SEED).unwrap_or(1);
    for seed in first..first + case_count::<u64>(COUNT, 6) {
        let mut schedule = Schedule::new(seed).await;
        schedule.run().await;
        sleep(RECOVERY).await;
        let since = Instant::now();
        sleep(Duration::from_secs(8)).await;
        let problems = schedule.sea.problems(since);
        assert!(problems.is_empty(), "{SEED}={seed}: {problems:#?}\n{:?}", schedule.events);
        for replica in schedule.replicas.into_iter().flatten() {
            replica.crash().await;
        }
    }
}
