//! Random schedules of three replicas that elect a leader or share the objects by shards: they join, leave, crash, are stopped and
//! continued, lose their connection and have frozen caches, while somebody else deletes, edits and restores their Leases.

use std::time::Duration;

use crdkit::{
    client::{Resources, scope::InNamespace},
    informer::CacheObject,
    testing::ApiServer,
};
use crdkit_tests::{case_count, faults::Random, number};
use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::{Instant, sleep};

use super::replica::{Replica, Sea, millis_below};

/// The number of schedules.
const COUNT: &str = "CRDKIT_SHARD_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_SHARD_SEED";

const FLEETS: usize = 6;
const SHARDS: u16 = 4;
const EVENTS: usize = 8;
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
    /// When Leases were deleted last.
    deleted: Option<Instant>,
    /// An older state of the Leases.
    backup: Vec<Lease>,
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
        let sea = if seed.is_multiple_of(3) {
            Sea::new(server, FLEETS, 1).await.with_leader()
        } else {
            Sea::new(server, FLEETS, SHARDS).await
        };
        let sea = sea.with_durations(durations(&mut random));
        let (replicas, backup, events) = Default::default();
        Self { sea, random, replicas, started: 0, joined: Instant::now(), deleted: None, backup, events }
    }

    /// Whether a process that starts now has no sign that there were Leases, although replicas that have not seen the deletion may
    /// still write.
    fn has_recent_deletion(&self) -> bool {
        self.deleted.is_some_and(|at| at.elapsed() < self.sea.durations[0])
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
                if has_ended && !self.has_recent_deletion() {
                    self.join(slot);
                    self.events.push(format!("{:?}: restart {slot}", Instant::now()));
                }
            }
        }
    }

    async fn change_replica(&mut self) -> String {
        let slot = self.random.below(3);
        if self.joined.elapsed() < START || self.has_recent_deletion() && self.replicas[slot].is_none() {
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

    /// Does what people and other programs do to Leases.
    async fn change_leases(&mut self) -> String {
        let leases = self.sea.server.client().resources::<Lease>().namespace("default");
        let all = leases.list().await.unwrap().items;
        let Some(lease) = all.get(self.random.below(all.len().max(1))).cloned() else {
            return "nothing".to_owned();
        };
        let name = lease.name().to_owned();
        let deletes = self.random.below(7);
        if deletes < 4 && self.joined.elapsed() < START {
            return "nothing".to_owned();
        }
        match deletes {
            0 | 1 => {
                self.deleted = Some(Instant::now());
                let _ = leases.delete(&name).await;
                format!("delete {name}")
            }
            2 => {
                self.backup = all;
                "back up".to_owned()
            }
            3 => {
                self.deleted = Some(Instant::now());
                restore(&leases, &all, &self.backup).await;
                format!("restore {} leases", self.backup.len())
            }
            _ => {
                let change = self.random.below(5);
                let other = all[self.random.below(all.len())].clone();
                let seconds = i32::try_from(self.random.below(20)).unwrap();
                let _ = leases.update(&name, |lease| edit(lease, &other, change, seconds)).await;
                format!("edit {name} ({change})")
            }
        }
    }
}

fn edit(lease: &mut Lease, other: &Lease, change: usize, seconds: i32) {
    let Some(record) = &mut lease.spec else { return };
    match change {
        0 => record.holder_identity = None,
        1 => lease.spec = None,
        2 => record.lease_duration_seconds = Some(1 + seconds),
        3 => record.holder_identity = other.spec.as_ref().and_then(|other| other.holder_identity.clone()),
        _ => (record.renew_time, record.acquire_time) = (None, None),
    }
}

/// Replaces all Leases by those of a backup, as the restoration of a namespace does.
async fn restore(leases: &Resources<Lease, InNamespace>, all: &[Lease], backup: &[Lease]) {
    for lease in all {
        let _ = leases.delete(lease.name()).await;
    }
    for lease in backup {
        let mut lease = lease.clone();
        (lease.metadata.uid, lease.metadata.resource_version) = (None, None);
        // A replica may have been faster.
        let _ = leases.create(&lease).await;
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
