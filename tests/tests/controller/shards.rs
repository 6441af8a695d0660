//! Replicas that share the objects by shards.

mod lease_changes;
mod plane;
mod replica;
mod schedules;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client,
    client::Error as ClientError,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ObjectKey},
    informer::CacheObject,
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use serde_json::json;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use self::replica::{GROUP, Replica, Sea, is_of};
pub(crate) use self::{
    lease_changes::LeaseChanges,
    replica::{millis_below, shard_of},
};
use crate::cluster::{Fleet, ships};

const LEASE: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_secs(2);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns the number of shards of each replica.
fn shares(replicas: &[&Replica]) -> Vec<usize> {
    let mut shares: Vec<_> = replicas.iter().map(|replica| replica.handle.shards().len()).collect();
    shares.sort_unstable();
    shares
}

#[tokio::test(start_paused = true)]
async fn replicas_share_the_shards_fairly() {
    let sea = Sea::new(ApiServer::new().with_sharded_lists(), 10, 16).await;
    let first = sea.start("first", 1);
    sleep(seconds(5)).await;
    assert_eq!(shares(&[&first]), [16]);
    let (second, third) = (sea.start("second", 2), sea.start("third", 3));
    sleep(seconds(20)).await;
    assert_eq!(shares(&[&first, &second, &third]), [5, 5, 6]);
    let stable = sea.holders();
    sleep(seconds(60)).await;
    assert_eq!(sea.holders(), stable);

    let since = Instant::now();
    first.stop().await.unwrap();
    sleep(seconds(15)).await;
    assert_eq!(shares(&[&second, &third]), [8, 8]);
    assert!(sea.holders().values().all(|holder| is_of(holder, "second") || is_of(holder, "third")));
    assert_eq!(sea.problems(since + seconds(8)), [""; 0]);
    second.stop().await.unwrap();
    third.stop().await.unwrap();
    assert!(sea.holders().values().all(String::is_empty));
    let leases = sea.server.client().resources::<Lease>().namespace("default").list().await.unwrap();
    assert_eq!(leases.items.len(), 16, "members delete their leases");
}

/// Returns the longest time without a write for a fleet.
fn longest_gap(sea: &Sea, since: Instant) -> Duration {
    let gaps = sea.writes().into_values().flat_map(|writes| {
        let mut times: Vec<_> = writes.into_iter().map(|(at, _)| at).collect();
        times.push(Instant::now());
        times.windows(2).filter(|pair| pair[1] >= since).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    });
    gaps.max().unwrap()
}

#[tokio::test(start_paused = true)]
async fn shards_of_a_crashed_replica_are_taken_over_within_the_duration_of_its_lease() {
    for seed in 0..5 {
        let sea = Sea::new(ApiServer::new(), 10, 8).await;
        let replicas = [sea.start("first", seed), sea.start("second", seed + 10), sea.start("third", seed + 20)];
        sleep(seconds(30) + Duration::from_millis(seed * 370)).await;
        let [first, second, third] = replicas;
        let crashed = Instant::now();
        first.crash().await;
        sleep(seconds(40)).await;
        // The last two durations are those of the writes, and of requests.
        let gap = longest_gap(&sea, crashed);
        assert!(gap < LEASE + RETRY + seconds(4), "{gap:?}");
        assert_eq!(shares(&[&second, &third]), [4, 4]);
        assert_eq!(sea.problems(crashed + seconds(30)), [""; 0]);
        second.crash().await;
        third.crash().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_was_stopped_writes_no_longer_and_joins_again() {
    let sea = Sea::new(ApiServer::new(), 10, 4).await;
    let (first, second) = (sea.start("first", 1), sea.start("second", 2));
    sleep(seconds(20)).await;
    assert_eq!(shares(&[&first, &second]), [2, 2]);
    first.freeze();
    sleep(seconds(60)).await;
    assert_eq!(second.handle.shards().len(), 4);
    let thawed = Instant::now();
    first.heal();
    sleep(seconds(30)).await;
    assert_eq!(shares(&[&first, &second]), [2, 2]);
    assert!(sea.refusals() > 0, "reconciliations that were stopped tried to write");
    assert_eq!(sea.problems(thawed + seconds(20)), [""; 0]);
    first.stop().await.unwrap();
    second.stop().await.unwrap();
}

/// Whenever a replica stops, also while it acquires or releases shards, the next one need not wait for it.
#[tokio::test(start_paused = true)]
async fn a_replica_that_leaves_holds_nothing() {
    let mut left = Vec::new();
    for step in 0..60 {
        let sea = Sea::new(ApiServer::new(), 1, 8).await;
        let sea = if step % 2 == 0 { sea } else { sea.with_count(1).with_leader() };
        let idle =
            Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done));
        let replica = sea.start_with("first", step, idle);
        sleep(Duration::from_millis(10 * step)).await;
        replica.stop().await.unwrap();
        // A write may be on its way.
        sleep(seconds(1)).await;
        left.extend(sea.holders().into_iter().filter(|(_, holder)| !holder.is_empty()).map(|held| (step, held)));
    }
    assert_eq!(left, []);
}

/// A reconcile function that takes long keeps its shard until it is complete.
#[tokio::test(start_paused = true)]
async fn a_shard_moves_after_its_reconciliations_are_complete() {
    let sea = Sea::new(ApiServer::new(), 4, 2).await;
    let slow = Controller::of::<Fleet>().concurrency(4).reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| {
        sleep(seconds(12)).await;
        Ok::<_, Error>(Action::requeue(seconds(1)))
    });
    let first = sea.start_with("first", 1, slow);
    sleep(seconds(5)).await;
    assert_eq!(first.handle.shards(), [0, 1]);
    let second = sea.start("second", 2);
    sleep(seconds(6)).await;
    assert_eq!(shares(&[&first, &second]), [0, 2]);
    sleep(seconds(14)).await;
    assert_eq!(shares(&[&first, &second]), [1, 1]);
    first.crash().await;
    second.crash().await;
}

#[tokio::test(start_paused = true)]
async fn another_number_of_shards_waits_for_the_replicas_before() {
    let sea = Sea::new(ApiServer::new(), 6, 4).await;
    let old = sea.start("old", 1);
    sleep(seconds(5)).await;
    let more = sea.with_count(8);
    let new = more.start("new", 2);
    sleep(seconds(60)).await;
    assert_eq!((old.handle.shards().len(), new.handle.shards().len()), (4, 0));
    assert!(new.handle.readyz().is_healthy(), "{}", new.handle.readyz());
    old.stop().await.unwrap();
    sleep(seconds(10)).await;
    assert_eq!(new.handle.shards().len(), 8);
    new.stop().await.unwrap();
}

/// The keys that a controller reconciled, with the names of the owned objects that it saw.
type Seen = Arc<Mutex<Vec<(String, Vec<String>)>>>;

async fn observe(fleet: Arc<Fleet>, cx: Context<Fleet, Seen>) -> Result<Action, Error> {
    let owned = cx.owned::<ConfigMap>(&fleet);
    let names = owned.iter().map(|ship| ship.name().to_owned()).collect();
    cx.state().lock().unwrap().push((fleet.name().to_owned(), names));
    cx.apply_owned(&fleet, ships(&fleet)).await?;
    Ok(Action::Done)
}

/// What a replica owns is in its cache before it reconciles the objects of a shard, and what others own is not.
#[tokio::test(start_paused = true)]
async fn owned_objects_follow_their_owners() {
    for server in [ApiServer::new(), ApiServer::new().with_sharded_lists()] {
        let sea = Sea::new(server, 0, 4).await;
        let fleets = sea.server.client().resources::<Fleet>().namespace("default");
        for number in 0..20 {
            let fleet = crate::cluster::fleet(&format!("fleet-{number}"), &["a", "b"]);
            fleets.create(&fleet).await.unwrap();
        }
        let (seen, others) = (Seen::default(), Seen::default());
        let controller =
            |seen: &Seen| Controller::of::<Fleet>().state(seen.clone()).owns::<ConfigMap>().reconcile(observe);
        let first = sea.start_with("first", 1, controller(&seen));
        sleep(seconds(10)).await;
        assert_eq!(seen.lock().unwrap().iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len(), 20);
        let ships = sea.server.client().resources::<ConfigMap>().namespace("default");
        let before = ships.list().await.unwrap();
        assert_eq!(before.items.len(), 40);
        let second = sea.start_with("second", 2, controller(&others));
        sleep(seconds(20)).await;
        assert_eq!(shares(&[&first, &second]), [2, 2]);
        let moved = others.lock().unwrap().clone();
        let shards = second.handle.shards();
        let all = fleets.list().await.unwrap().items;
        let expected: BTreeSet<_> = all
            .iter()
            .filter(|fleet| shards.contains(&shard_of(fleet.uid().unwrap(), 4)))
            .map(|fleet| fleet.name())
            .collect();
        assert_eq!(moved.iter().map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>(), expected);
        for (name, owned) in &moved {
            assert_eq!(owned.len(), 2, "{name} was reconciled before its ships were listed");
        }
        let after = ships.list().await.unwrap();
        assert_eq!(after.items, before.items, "a shard that moves causes no writes");
        // A ship that drifts is repaired by the replica that holds the shard of its owner.
        others.lock().unwrap().clear();
        let name = *expected.first().unwrap();
        ships.delete(&format!("{name}-a")).await.unwrap();
        sleep(seconds(5)).await;
        assert!(ships.get_opt(&format!("{name}-a")).await.unwrap().is_some());
        assert!(others.lock().unwrap().iter().any(|(other, _)| other == name));
        first.stop().await.unwrap();
        second.stop().await.unwrap();
    }
}

/// Only deletions are reconciled as such, not objects whose shard moves away.
#[tokio::test(start_paused = true)]
async fn an_object_in_the_shard_of_another_replica_is_not_deleted() {
    let sea = Sea::new(ApiServer::new().with_sharded_lists(), 12, 4).await;
    let controller = |deleted: &Arc<Mutex<Vec<ObjectKey>>>| {
        let controller = Controller::of::<Fleet>().state(deleted.clone());
        controller.reconcile_key(async |key: ObjectKey, cx: Context<Fleet, Arc<Mutex<Vec<ObjectKey>>>>| {
            if cx.get().is_none() {
                cx.state().lock().unwrap().push(key);
            }
            Ok::<_, Error>(Action::requeue(seconds(1)))
        })
    };
    let deleted = Arc::<Mutex<Vec<ObjectKey>>>::default();
    let first = sea.start_with("first", 1, controller(&deleted));
    sleep(seconds(5)).await;
    let second = sea.start_with("second", 2, controller(&deleted));
    sleep(seconds(20)).await;
    second.stop().await.unwrap();
    sleep(seconds(20)).await;
    assert!(deleted.lock().unwrap().is_empty(), "{deleted:?}");
    sea.server.client().resources::<Fleet>().namespace("default").delete("fleet-3").await.unwrap();
    sleep(seconds(5)).await;
    let deleted = deleted.lock().unwrap().iter().map(ObjectKey::name).map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(deleted, ["fleet-3".to_owned()].into());
    first.stop().await.unwrap();
}

/// The API server sends only the objects of the shards, or all of them, of which the informer keeps the same ones.
#[tokio::test(start_paused = true)]
async fn the_api_server_and_the_informer_select_the_same_objects() {
    for server in [ApiServer::new(), ApiServer::new().with_sharded_lists()] {
        let sea = Sea::new(server, 60, 4).await;
        let replicas = [sea.start("first", 1), sea.start("second", 2)];
        sleep(seconds(20)).await;
        let since = Instant::now();
        sleep(seconds(10)).await;
        assert_eq!(sea.problems(since), [""; 0]);
        let objects: Vec<_> = replicas.iter().map(|replica| objects(&replica.handle.openmetrics())).collect();
        assert_eq!(objects.iter().sum::<usize>(), 60, "{objects:?}");
        assert!(objects.iter().all(|count| (15..45).contains(count)), "{objects:?}");
        let first = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
        let last = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";
        let selectors = sea.selectors();
        assert!([first, last].iter().all(|selector| selectors.contains(*selector)), "{selectors:?}");
        for replica in replicas {
            replica.stop().await.unwrap();
        }
    }
}

/// A streaming list of which nothing arrives is followed by one in pages, with the same selector.
#[tokio::test(start_paused = true)]
async fn shards_are_listed_in_pages_after_a_stalled_stream() {
    let sea = Sea::new(ApiServer::new().with_sharded_lists(), 20, 4).await;
    let replicas = [sea.start("first", 1), sea.start("second", 2)];
    replicas.iter().for_each(Replica::freeze_watches);
    sleep(seconds(60)).await;
    replicas.iter().for_each(Replica::heal);
    sleep(seconds(30)).await;
    let since = Instant::now();
    sleep(seconds(10)).await;
    assert_eq!(shares(&replicas.each_ref()), [2, 2]);
    assert_eq!(sea.problems(since), [""; 0]);
    for replica in replicas {
        replica.crash().await;
    }
}

/// Reads the number of fleets in the cache.
fn objects(metrics: &str) -> usize {
    let line = metrics.lines().find(|line| line.starts_with(r#"crdkit_informer_objects{resource="fleets"#)).unwrap();
    let value: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
    value as usize
}

/// The client of a manager, and all clients and handles that are made from that of a context, refuse to write.
#[tokio::test(start_paused = true)]
async fn all_clients_of_a_manager_are_fenced() {
    let sea = Sea::new(ApiServer::new(), 1, 1).await;
    let taken = Arc::<Mutex<Option<Client>>>::default();
    let controller = Controller::of::<Fleet>().state(taken.clone()).reconcile(
        async |_: Arc<Fleet>, cx: Context<Fleet, Arc<Mutex<Option<Client>>>>| {
            *cx.state().lock().unwrap() = Some(cx.client().clone().field_manager("task"));
            Ok::<_, Error>(Action::Done)
        },
    );
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(sea.server.client().field_manager("operator"))
        .shards(LeaderElection::new(GROUP), 1)
        .add(controller)
        .until(stopped);
    let client = manager.client();
    let flags = client.resources::<ConfigMap>().namespace("default");
    let data = json!({ "data": { "color": "white" } });
    assert!(flags.apply("flag", &data).await.is_err(), "it is no member yet");
    let running = tokio::spawn(manager.run());
    sleep(seconds(5)).await;
    flags.apply("flag", &data).await.unwrap();
    let taken = taken.lock().unwrap().take().unwrap();
    let task = taken.resources::<ConfigMap>().namespace("default");
    task.apply("flag", &data).await.unwrap();
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    for flags in [flags, task] {
        let refused = flags.delete("flag").await.unwrap_err();
        assert!(refused.to_string().contains("does not hold the shard"), "{refused}");
        assert!(matches!(flags.get("flag").await, Ok(_) | Err(ClientError::NotFound(_))), "reads are allowed");
    }
}

/// A member renews its Lease with one write, and lists the others. Nothing else is sent while nothing happens.
#[tokio::test(start_paused = true)]
async fn idle_replicas_send_two_requests_for_each_renewal() {
    let sea = Sea::new(ApiServer::new(), 3, 4).await;
    let idle =
        || Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done));
    let replicas = [sea.start_with("first", 1, idle()), sea.start_with("second", 2, idle())];
    sleep(seconds(30)).await;
    sea.server.clear_journal();
    sleep(seconds(20)).await;
    let journal = sea.server.journal();
    let count = |requests: Requests| {
        let requests = requests.of::<Lease>();
        journal.iter().filter(|entry| requests.matches(entry.request())).count()
    };
    // Requests take some time.
    let (renewals, lists) = (count(Requests::update()), count(Requests::list()));
    assert!((18..=20).contains(&renewals) && (18..=20).contains(&lists), "{renewals} renewals, {lists} lists");
    assert_eq!(count(Requests::all()), renewals + lists);
    for replica in replicas {
        replica.stop().await.unwrap();
    }
}

#[test]
#[should_panic(expected = "a manager has a leader or shards, not both")]
fn a_manager_has_no_leader_and_shards() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    let _ = Manager::new(ApiServer::new().client()).leader_election("fleets").shards("fleets", 4);
}
