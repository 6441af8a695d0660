//! Three replicas in processes of their own on the real API server, which are killed, stopped and continued, while somebody else
//! deletes, edits and restores their Leases.

mod audit;

use std::{collections::HashMap, time::Duration};

use crdkit::{Client, informer::CacheObject};
use crdkit_tests::{Program, faults::Random, number};
use futures_util::{StreamExt, stream};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace, Secret},
    jiff::Timestamp,
};
use tokio::time::{Instant, sleep};

use self::audit::{Audited, MANAGER, Units};
use crate::shards::{LeaseChanges, millis_below, shard_of};

/// The number of schedules: with a leader and with shards, by default.
const COUNT: &str = "CRDKIT_PROCESS_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_PROCESS_SEED";
/// The number of concurrent schedules.
const PARALLEL: usize = 6;

const GROUP: &str = "replicas";
const OBJECTS: usize = 6;
const SHARDS: u16 = 4;
const EVENTS: usize = 8;
const PAUSE: u64 = 2_500;
/// A process that was started so long ago reconciles, or is ready to.
const START: Duration = Duration::from_secs(2);
/// A process that was started so long ago has read the Leases, also on a busy machine.
const READ: Duration = Duration::from_secs(4);
/// The duration of the replicas' leases, in seconds. No longer one is written into a Lease.
const LEASE: u8 = 3;
/// The duration of a lease, and the time of attempts to acquire it, lists and writes on a busy machine.
const TAKEOVER: Duration = Duration::from_secs(LEASE as u64 + 5);

struct Process {
    program: Program,
    started: Instant,
    is_stopped: bool,
}

/// A namespace with objects, and three slots for replicas.
struct Schedule<'a> {
    audited: &'a Audited,
    namespace: String,
    units: Units,
    random: Random,
    slots: [Option<Process>; 3],
    /// Those that were terminated.
    leaving: Vec<Process>,
    started: usize,
    leases: LeaseChanges,
    /// When a replica was killed, stopped or terminated, or ended because it could not renew its lease in time, and when somebody changed
    /// Leases.
    impairments: Vec<Timestamp>,
    events: Vec<String>,
}

impl<'a> Schedule<'a> {
    async fn new(audited: &'a Audited, seed: u64) -> Self {
        let client = Client::from(audited.plane.client());
        let namespace = format!("schedule-{seed}");
        let mut object = Namespace::default();
        object.metadata.name = Some(namespace.clone());
        client.resources::<Namespace>().create(&object).await.unwrap();
        let units = match seed % 2 {
            0 => {
                create(&client, &namespace).await;
                Units::Leader { lease: GROUP.to_owned() }
            }
            _ => Units::Shards(create(&client, &namespace).await),
        };
        let somebody = Client::from(audited.plane.client()).field_manager(MANAGER);
        let leases = LeaseChanges::new(&somebody, &namespace, Duration::from_secs(LEASE.into()), LEASE.into());
        Self {
            audited,
            namespace,
            units,
            leases,
            random: Random::new(seed),
            slots: [None, None, None],
            leaving: Vec::new(),
            started: 0,
            impairments: Vec::new(),
            events: Vec::new(),
        }
    }

    fn join(&mut self, slot: usize) {
        self.started += 1;
        let shards = match self.units {
            Units::Leader { .. } => "0".to_owned(),
            Units::Shards(_) => SHARDS.to_string(),
        };
        let identity = format!("replica{}", self.started);
        let arguments = [GROUP, &self.namespace, &identity, &shards];
        let program = Program::start(&self.audited.plane, env!("CARGO_BIN_EXE_replica"), &arguments);
        self.slots[slot] = Some(Process { program, started: Instant::now(), is_stopped: false });
    }

    async fn run(&mut self) {
        (0..3).for_each(|slot| self.join(slot));
        self.wait(START).await;
        for _ in 0..EVENTS {
            let pause = millis_below(&mut self.random, PAUSE);
            self.wait(pause).await;
            if self.random.below(3) == 0 {
                self.change_leases().await;
                continue;
            }
            let slot = self.random.below(3);
            let event = self.change(slot);
            self.note(&format!("{event} {slot}"));
        }
        for process in self.slots.iter_mut().flatten().filter(|process| process.is_stopped) {
            process.program.signal("CONT");
            process.is_stopped = false;
        }
        self.wait(TAKEOVER).await;
    }

    /// Waits, and meanwhile starts replicas that have ended again, as a kubelet does: a leader ends when it has lost its lease.
    async fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        while Instant::now() < end {
            sleep(Duration::from_millis(50).min(end - Instant::now())).await;
            for slot in 0..self.slots.len() {
                let has_ended = self.slots[slot].as_mut().is_some_and(|process| process.program.has_ended());
                if has_ended && !self.leases.are_recently_deleted() {
                    self.note(&format!("restart {slot}"));
                    self.impairments.push(Timestamp::now());
                    self.join(slot);
                }
            }
        }
    }

    /// Changes Leases once all processes have read them.
    async fn change_leases(&mut self) {
        while !self.slots.iter().flatten().all(|process| process.started.elapsed() >= READ) {
            self.wait(Duration::from_millis(100)).await;
        }
        self.impairments.push(Timestamp::now());
        let event = self.leases.change(&mut self.random, true).await;
        self.note(&event);
    }

    fn note(&mut self, event: &str) {
        self.events.push(format!("{}: {event}", Timestamp::now()));
    }

    /// Whether another replica can take over.
    fn has_another(&mut self, slot: usize) -> bool {
        let mut others = self
            .slots
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != slot)
            .filter_map(|(_, process)| process.as_mut());
        others.any(|process| !process.is_stopped && process.started.elapsed() >= START && !process.program.has_ended())
    }

    fn change(&mut self, slot: usize) -> &'static str {
        let has_another = self.has_another(slot);
        if self.slots[slot].is_none() && self.leases.are_recently_deleted() {
            return "nothing";
        }
        let Some(mut process) = self.slots[slot].take() else {
            self.join(slot);
            return "start";
        };
        if process.is_stopped {
            process.program.signal("CONT");
            process.is_stopped = false;
            self.slots[slot] = Some(process);
            return "continue";
        }
        // One that is stopped before it has read the Leases would not see that they are deleted meanwhile.
        if !has_another || process.started.elapsed() < READ || process.program.has_ended() {
            self.slots[slot] = Some(process);
            return "nothing";
        }
        self.impairments.push(Timestamp::now());
        match self.random.below(8) {
            0 => {
                process.program.signal("TERM");
                self.leaving.push(process);
                "terminate"
            }
            1..=3 => {
                // By dropping it.
                drop(process);
                "kill"
            }
            _ => {
                process.program.signal("STOP");
                process.is_stopped = true;
                self.slots[slot] = Some(process);
                "stop"
            }
        }
    }

    /// Returns what is wrong, and when which process took over.
    fn check(&self, until: Timestamp) -> (Vec<String>, Vec<String>) {
        let verdict = self.audited.check(&self.namespace, &self.units);
        let mut problems = verdict.violations.clone();
        if verdict.writes.len() != OBJECTS {
            problems.push(format!("only {:?} were written", verdict.writes.keys()));
        }
        problems.extend(verdict.gaps(&self.impairments, until, TAKEOVER));
        (problems, verdict.changes)
    }
}

/// Creates objects and what is written for them, and returns the shard of each object.
async fn create(client: &Client, namespace: &str) -> HashMap<String, u16> {
    let configs = client.resources::<ConfigMap>().namespace(namespace);
    let mut shards = HashMap::new();
    for number in 0..OBJECTS {
        let mut object = ConfigMap::default();
        object.metadata.name = Some(format!("object-{number}"));
        object.metadata.labels = Some([("role".to_owned(), "object".to_owned())].into());
        let created = configs.create(&object).await.unwrap();
        shards.insert(created.name().to_owned(), shard_of(created.uid().unwrap(), SHARDS));
        let mut written = Secret::default();
        written.metadata.name = object.metadata.name;
        client.resources::<Secret>().namespace(namespace).create(&written).await.unwrap();
    }
    shards
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_one_process_writes_for_an_object_and_another_takes_over_in_time() {
    let Some(audited) = Audited::start() else { return };
    let first = number(SEED).unwrap_or(1);
    let schedules = stream::iter(first..first + number(COUNT).unwrap_or(2)).map(|seed| {
        let audited = &audited;
        async move {
            let mut schedule = Schedule::new(audited, seed).await;
            schedule.run().await;
            let (problems, changes) = schedule.check(Timestamp::now());
            let mut events = schedule.events.clone();
            events.extend(changes);
            events.sort_unstable();
            assert!(problems.is_empty(), "{SEED}={seed}: {problems:#?}\n{events:#?}");
        }
    });
    schedules.buffer_unordered(PARALLEL).collect::<()>().await;
}
