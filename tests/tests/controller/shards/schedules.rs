//! Random schedules of three replicas that elect a leader or share the objects by shards: they join, leave, crash, are stopped and
//! continued, lose their connection and have frozen caches, while somebody else deletes, edits and restores their Leases.

use std::time::Duration;

use crdkit_api_server::ApiServer;
use crdkit_tests::{case_count, faults::Random, number};
use tokio::time::{Instant, sleep};

use super::{
    lease_changes::LeaseChanges,
    replica::{Replica, Sea, millis_below},
};

/// The number of schedules.
const COUNT: &str = "CRDKIT_SHARD_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_SHARD_SEED";

const FLEETS: usize = 6;
const SHARDS: u16 = 4;
const EVENTS: usize = 8;
/// The longest duration that somebody writes into a Lease, in seconds.
const LONGEST: usize = 20;
/// The time in which every fleet must be written, beside two durations of a lease: one until a holder that crashed is removed, and one
/// during which a Lease is waited out that somebody has changed. It is that of attempts, of lists, also in pages after a stalled stream,
/// and of writes.
const RECOVERY: Duration = Duration::from_secs(50);

/// A replica that was started so long ago has read the Leases.
const START: Duration = Duration::from_secs(5);

/// Three slots for replicas.
struct Schedule {
    sea: Sea,
    random: Random,
    replicas: [Option<Replica>; 3],
    started: usize,
    /// When the last one joined.
    joined: Instant,
    leases: LeaseChanges,
    events: Vec<String>,
}

/// Returns random durations with fractions: of a lease, of the attempts to renew it, and between them.
///
/// Requests are on their way for up to 80 ms, for which the difference of the first two must be enough.
fn durations(random: &mut Random) -> [Duration; 3] {
    let lease = Duration::from_secs(3) + millis_below(random, 13_000);
    let renew = lease.mul_f64(0.6).max(lease.saturating_sub(Duration::from_millis(200) + millis_below(random, 5_000)));
    [lease, renew, renew.mul_f64(0.2)]
}

impl Schedule {
    async fn new(seed: u64) -> Self {
        let server = if seed.is_multiple_of(2) { ApiServer::new() } else { ApiServer::new().with_sharded_lists() };
        let mut random = Random::new(seed);
        let started = if seed.is_multiple_of(3) {
            Sea::new(server, FLEETS, 1).await.with_leader()
        } else {
            Sea::new(server, FLEETS, SHARDS).await
        };
        let sea = started.with_durations(durations(&mut random));
        let leases = LeaseChanges::new(&sea.server.client(), "default", sea.durations[0], LONGEST);
        let (replicas, events) = Default::default();
        Self { sea, random, replicas, started: 0, joined: Instant::now(), leases, events }
    }

    fn join(&mut self, slot: usize) {
        self.started += 1;
        self.joined = Instant::now();
        let identity = format!("replica{}", self.started);
        self.replicas[slot] = Some(self.sea.start(&identity, self.random.number()));
    }

    async fn run(&mut self) {
        self.join(0);
        for _ in 0..EVENTS {
            let pause = millis_below(&mut self.random, 15_000);
            self.wait(pause).await;
            let event =
                if self.random.below(3) == 0 { self.change_leases().await } else { self.change_replica().await };
            self.events.push(format!("{:?}: {event}", Instant::now()));
        }
        self.replicas.iter().flatten().for_each(Replica::heal);
        if self.replicas.iter().all(Option::is_none) {
            self.wait(self.sea.durations[0]).await;
            self.join(0);
        }
        self.wait(2 * self.sea.durations[0] + RECOVERY).await;
    }

    /// Waits, and starts replicas that have ended again, as a kubelet does.
    async fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        while Instant::now() < end {
            sleep(Duration::from_millis(500).min(end - Instant::now())).await;
            for slot in 0..self.replicas.len() {
                let has_ended = self.replicas[slot].as_ref().is_some_and(Replica::has_ended);
                if has_ended && !self.leases.are_recently_deleted() {
                    self.join(slot);
                    self.events.push(format!("{:?}: restart {slot}", Instant::now()));
                }
            }
        }
    }

    async fn change_replica(&mut self) -> String {
        let slot = self.random.below(3);
        if self.joined.elapsed() < START || self.leases.are_recently_deleted() && self.replicas[slot].is_none() {
            return "nothing".to_owned();
        }
        let Some(replica) = self.replicas[slot].take() else {
            self.join(slot);
            return format!("join {slot}");
        };
        if replica.is_impaired() {
            replica.heal();
            self.replicas[slot] = Some(replica);
            return format!("heal {slot}");
        }
        let event = match self.random.below(9) {
            0 => {
                // Meanwhile others may change.
                tokio::spawn(replica.stop());
                return format!("leave {slot}");
            }
            1 | 2 => {
                replica.crash().await;
                return format!("crash {slot}");
            }
            3 | 4 => {
                replica.cut_off();
                "cut off"
            }
            5 | 6 => {
                replica.freeze_watches();
                "freeze the caches of"
            }
            _ => {
                replica.freeze();
                "freeze"
            }
        };
        self.replicas[slot] = Some(replica);
        format!("{event} {slot}")
    }

    async fn change_leases(&mut self) -> String {
        let may_delete = self.joined.elapsed() >= START;
        self.leases.change(&mut self.random, may_delete).await
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_one_replica_writes_for_an_object_and_none_is_forgotten() {
    let first = number(SEED).unwrap_or(1);
    for seed in first..first + case_count::<u64>(COUNT, 30) {
        let mut schedule = Schedule::new(seed).await;
        schedule.run().await;
        let since = Instant::now();
        schedule.wait(Duration::from_secs(8)).await;
        let mut problems = schedule.sea.problems(since);
        problems.extend(schedule.sea.wrong_children().await);
        assert!(problems.is_empty(), "{SEED}={seed}: {problems:#?}\n{:#?}", schedule.events);
        for replica in schedule.replicas.into_iter().flatten() {
            replica.crash().await;
        }
    }
}
