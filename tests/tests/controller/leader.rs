//! Of several managers with one lease, one reconciles.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crdkit::{
    Client,
    client::Error as ClientError,
    controller::{
        Action, Context, Controller, ControllerBuilder, Error, LeaderElection, Manager, ManagerError, ManagerHandle,
    },
};
use crdkit_api_server::Requests;
use k8s_openapi::{
    api::{coordination::v1::Lease, core::v1::ConfigMap},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use serde_json::json;
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};
use tower::{ServiceExt, service_fn};

use crate::{
    cluster::{Cluster, Fleet},
    collector::Collector,
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The times of the successful and of the refused writes of one candidate.
#[derive(Clone, Default)]
struct Log {
    written: Arc<Mutex<Vec<Instant>>>,
    refused: Arc<Mutex<Vec<Instant>>>,
}

struct Candidate {
    log: Log,
    handle: ManagerHandle,
    /// Whether its requests for leases fail.
    is_cut_off: Arc<AtomicBool>,
    /// Whether a connection for its other writes takes 25 s.
    connects_slowly: Arc<AtomicBool>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ManagerError>>,
}

/// Writes once a second, and goes on after refusals.
async fn reconcile(_: Arc<Fleet>, cx: Context<Fleet, Log>) -> Result<Action, Error> {
    let flag = cx.client().resources::<ConfigMap>().namespace("default");
    match flag.apply("flag", &json!({ "data": { "color": "white" } })).await {
        Ok(_) => cx.state().written.lock().unwrap().push(Instant::now()),
        Err(crdkit::client::ApplyError::Request(ClientError::NotLeader { .. })) => {
            cx.state().refused.lock().unwrap().push(Instant::now());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Action::requeue(seconds(1)))
}

impl Candidate {
    fn start(cluster: &Cluster, identity: &str) -> Self {
        Self::reconciling(cluster, identity, |builder| builder.reconcile(reconcile))
    }

    fn reconciling(
        cluster: &Cluster,
        identity: &str,
        complete: impl FnOnce(ControllerBuilder<Fleet, Log>) -> Controller,
    ) -> Self {
        Self::electing(cluster, LeaderElection::new("fleets").identity(identity), complete)
    }

    fn electing(
        cluster: &Cluster,
        election: LeaderElection,
        complete: impl FnOnce(ControllerBuilder<Fleet, Log>) -> Controller,
    ) -> Self {
        let [is_cut_off, connects_slowly] = [(); 2].map(|()| Arc::<AtomicBool>::default());
        let (service, cut_off, slow) = (cluster.server.service(), is_cut_off.clone(), connects_slowly.clone());
        let service = service_fn(move |request: http::Request<kube::client::Body>| {
            let fails = cut_off.load(Ordering::SeqCst) && request.uri().path().contains("/leases/");
            let is_slow = slow.load(Ordering::SeqCst) && request.uri().path().contains("/configmaps/");
            let service = service.clone();
            async move {
                if is_slow {
                    sleep(seconds(25)).await;
                }
                if fails { Err("the connection is broken".into()) } else { service.oneshot(request).await }
            }
        });
        let client = Client::from(kube::Client::new(service, "default")).field_manager("operator");
        let (stop, stopped) = oneshot::channel();
        let log = Log::default();
        let manager = Manager::new(client)
            .leader_election(election)
            .add(complete(Controller::of::<Fleet>().state(log.clone())))
            .until(stopped);
        let handle = manager.handle();
        Self { log, handle, is_cut_off, connects_slowly, stop: Some(stop), task: tokio::spawn(manager.run()) }
    }

    fn written(&self) -> Vec<Instant> {
        self.log.written.lock().unwrap().clone()
    }

    async fn stop(mut self) -> Result<(), ManagerError> {
        let _ = self.stop.take().unwrap().send(());
        self.task.await.unwrap()
    }
}

async fn lease(cluster: &Cluster) -> k8s_openapi::api::coordination::v1::LeaseSpec {
    let leases = cluster.client.resources::<Lease>().namespace("default");
    leases.get("fleets").await.unwrap().spec.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_next_candidate_takes_over_after_a_release() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let first = Candidate::start(&cluster, "first");
    sleep(seconds(5)).await;
    let second = Candidate::start(&cluster, "second");
    sleep(seconds(30)).await;
    assert!(first.written().len() > 30 && second.written().is_empty());
    assert_eq!((first.handle.is_leader(), second.handle.is_leader()), (true, false));
    let held = lease(&cluster).await;
    assert_eq!(held.holder_identity.as_deref(), Some("first"));
    assert_eq!((held.lease_duration_seconds, held.lease_transitions), (Some(15), Some(0)));

    let stopped = Instant::now();
    let log = first.log.clone();
    first.stop().await.unwrap();
    sleep(seconds(10)).await;
    let taken_over = second.written()[0];
    assert!(taken_over - stopped < seconds(6), "{:?}", taken_over - stopped);
    assert!(log.written.lock().unwrap().iter().all(|at| *at <= taken_over));
    let held = lease(&cluster).await;
    assert_eq!((held.holder_identity.as_deref(), held.lease_transitions), (Some("second"), Some(1)));

    second.stop().await.unwrap();
    let released = lease(&cluster).await;
    assert_eq!(released.holder_identity.as_deref(), Some(""));
    assert_eq!((released.lease_duration_seconds, released.lease_transitions), (Some(1), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_cannot_renew_writes_no_longer() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let first = Candidate::start(&cluster, "first");
    sleep(seconds(5)).await;
    let second = Candidate::start(&cluster, "second");
    sleep(seconds(5)).await;
    first.is_cut_off.store(true, Ordering::SeqCst);
    let cut_off = Instant::now();
    sleep(seconds(30)).await;

    let last = *first.written().last().unwrap();
    assert!(last - cut_off < seconds(10), "{:?}", last - cut_off);
    let next = second.written()[0];
    assert!(next > last, "two leaders wrote at once");
    // The duration of the lease, and twice the longest time between two attempts.
    assert!(next - cut_off < seconds(25), "{:?}", next - cut_off);
    assert!(!first.handle.is_leader() && second.handle.is_leader());
    let lost = first.task.await.unwrap().unwrap_err();
    assert!(matches!(lost, ManagerError::LeaseLost { .. }), "{lost}");
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn writes_of_a_slow_reconciliation_are_refused() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let candidate = Candidate::reconciling(&cluster, "first", |builder| {
        builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| {
            sleep(seconds(25)).await;
            reconcile(fleet, cx).await
        })
    });
    sleep(seconds(5)).await;
    candidate.is_cut_off.store(true, Ordering::SeqCst);
    assert!(candidate.task.await.unwrap().is_err());
    assert!(candidate.log.written.lock().unwrap().is_empty());
    assert_eq!(candidate.log.refused.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn writes_whose_connection_takes_too_long_are_refused() {
    let cluster = Cluster::new();
    let candidate = Candidate::start(&cluster, "first");
    candidate.connects_slowly.store(true, Ordering::SeqCst);
    sleep(seconds(5)).await;
    cluster.launch("north", &[]).await;
    sleep(seconds(1)).await;
    candidate.is_cut_off.store(true, Ordering::SeqCst);
    assert!(candidate.task.await.unwrap().is_err());
    assert!(candidate.log.written.lock().unwrap().is_empty());
    assert_eq!(candidate.log.refused.lock().unwrap().len(), 1);
    assert!(cluster.ship_names().await.is_empty());
}

/// A record as client-go writes it.
#[tokio::test(start_paused = true)]
async fn a_lease_of_another_program_is_respected() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let leases = cluster.client.resources::<Lease>().namespace("default");
    let now = MicroTime(Timestamp::now());
    let foreign = json!({
        "metadata": { "name": "fleets" },
        "spec": {
            "holderIdentity": "go_1", "leaseDurationSeconds": 15, "leaseTransitions": 7, "acquireTime": now, "renewTime": now,
        },
    });
    leases.create(&serde_json::from_value(foreign).unwrap()).await.unwrap();
    let candidate = Candidate::start(&cluster, "first");
    let started = Instant::now();
    for _ in 0..10 {
        sleep(seconds(2)).await;
        // The clocks of two machines differ, so the time itself means nothing.
        leases
            .update("fleets", |lease| {
                let time = lease.spec.as_mut().unwrap().renew_time.as_mut().unwrap();
                time.0 -= seconds(3_600);
            })
            .await
            .unwrap();
    }
    sleep(seconds(10)).await;
    assert!(candidate.written().is_empty());
    sleep(seconds(20)).await;
    let first = candidate.written()[0] - started;
    // The last change after 20 s is seen up to 4.4 s later, and its expiry after 15 s too.
    assert!(seconds(35) <= first && first < seconds(44), "{first:?}");
    let held = lease(&cluster).await;
    assert_eq!((held.holder_identity.as_deref(), held.lease_transitions), (Some("first"), Some(8)));
    candidate.stop().await.unwrap();
}

/// Returns the number of requests for the lease: reads and updates.
fn lease_requests(cluster: &Cluster) -> [usize; 2] {
    let count = |requests: Requests| cluster.server.journal().only(requests.of::<Lease>()).len();
    [count(Requests::reads()), count(Requests::update())]
}

/// The leader renews with one write, and a candidate reads. Nothing else is sent while nothing happens.
#[tokio::test(start_paused = true)]
async fn an_idle_operator_sends_one_request_for_each_renewal() {
    let cluster = Cluster::new();
    let idle = |builder: ControllerBuilder<Fleet, Log>| {
        builder.reconcile(async |_: Arc<Fleet>, _: Context<Fleet, Log>| Ok::<_, Error>(Action::Done))
    };
    let first = Candidate::reconciling(&cluster, "first", idle);
    sleep(seconds(10)).await;
    cluster.server.clear_journal();
    sleep(seconds(20)).await;
    assert_eq!(lease_requests(&cluster), [0, 10]);
    assert_eq!(cluster.server.journal().len(), 10, "{:?}", cluster.server.journal());

    let second = Candidate::reconciling(&cluster, "second", idle);
    sleep(seconds(10)).await;
    cluster.server.clear_journal();
    sleep(seconds(44)).await;
    let [reads, updates] = lease_requests(&cluster);
    // A candidate waits between one and 2.2 retry periods.
    assert!((10..=22).contains(&reads) && updates == 22, "{reads} reads, {updates} updates");
    first.stop().await.unwrap();
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_has_no_less_than_the_duration() {
    let cluster = Cluster::new();
    let [duration, deadline] = [15_900, 15_800].map(Duration::from_millis);
    let election = LeaderElection::new("fleets").identity("first").durations(duration, deadline, seconds(2));
    let candidate = Candidate::electing(&cluster, election, |builder| builder.reconcile(reconcile));
    sleep(seconds(5)).await;
    assert_eq!(lease(&cluster).await.lease_duration_seconds, Some(16));
    candidate.stop().await.unwrap();
}

/// What somebody may do to the lease of a leader.
async fn change_lease(cluster: &Cluster, change: usize) {
    let leases = cluster.client.resources::<Lease>().namespace("default");
    if change == 0 {
        leases.delete("fleets").await.unwrap();
        return;
    }
    let edit = |lease: &mut Lease| {
        let record = lease.spec.as_mut().unwrap();
        match change {
            1 => record.holder_identity = None,
            2 => lease.spec = None,
            3 => record.lease_duration_seconds = Some(1),
            4 => record.holder_identity = Some("second".to_owned()),
            _ => record.holder_identity = Some("third".to_owned()),
        }
    };
    leases.update("fleets", edit).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_somebody_changes_is_waited_out() {
    for change in 0..6 {
        for is_cut_off in [true, false] {
            let cluster = Cluster::new();
            cluster.launch("north", &[]).await;
            let first = Candidate::start(&cluster, "first");
            sleep(seconds(5)).await;
            let second = Candidate::start(&cluster, "second");
            sleep(seconds(20)).await;
            first.is_cut_off.store(is_cut_off, Ordering::SeqCst);
            change_lease(&cluster, change).await;
            sleep(seconds(45)).await;
            let (last, next) = (*first.written().last().unwrap(), second.written().first().copied());
            assert!(next.is_none_or(|next| next > last), "{change}: two leaders wrote at once");
            // The leader writes a record without a holder again.
            let keeps_it = !is_cut_off && change < 4;
            assert_eq!((first.handle.is_leader(), second.handle.is_leader()), (keeps_it, !keeps_it), "{change}");
            first.task.abort();
            second.task.abort();
        }
    }
}

/// Creates a ship with a new name unless there is one.
async fn create_once(fleet: Arc<Fleet>, cx: Context<Fleet, Log>) -> Result<Action, Error> {
    if cx.owned::<ConfigMap>(&fleet).is_empty() {
        let mut ship = ConfigMap::default();
        ship.metadata.generate_name = Some("ship-".to_owned());
        ship.metadata.namespace = fleet.metadata.namespace.clone();
        crdkit::client::set_controller_reference(&mut ship, &*fleet)?;
        cx.client().resources().namespace("default").create(&ship).await?;
    }
    cx.state().written.lock().unwrap().push(Instant::now());
    Ok(Action::Done)
}

/// The caches of a standby may lag behind what the last leader wrote.
#[tokio::test(start_paused = true)]
async fn a_new_leader_does_not_create_what_the_last_one_created() {
    for delay in [3, 20, 600] {
        let slow = Cluster::with_watch_delay("configmaps", seconds(delay));
        let complete = |builder: ControllerBuilder<Fleet, Log>| builder.owns::<ConfigMap>().reconcile(create_once);
        let first = Candidate::reconciling(&slow, "first", complete);
        sleep(seconds(30)).await;
        // Only the caches of this one are slow.
        let (stop, stopped) = oneshot::channel::<()>();
        let log = Log::default();
        let manager = Manager::new(slow.operator())
            .leader_election(LeaderElection::new("fleets").identity("second"))
            .add(complete(Controller::of::<Fleet>().state(log.clone())))
            .until(stopped);
        let second = tokio::spawn(manager.run());
        sleep(seconds(60)).await;
        slow.launch("north", &[]).await;
        sleep(Duration::from_millis(500)).await;
        assert_eq!(slow.ship_names().await.len(), 1);
        first.stop().await.unwrap();
        sleep(seconds(60)).await;
        assert!(!log.written.lock().unwrap().is_empty(), "{delay}: it reconciles");
        assert_eq!(slow.ship_names().await.len(), 1, "{delay}");
        stop.send(()).unwrap();
        second.await.unwrap().unwrap();
    }
}

/// A kind that does not change has no events for a minute, until the next bookmark.
#[tokio::test(start_paused = true)]
async fn a_new_leader_does_not_wait_for_a_kind_that_does_not_change() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let complete = |builder: ControllerBuilder<Fleet, Log>| builder.owns::<ConfigMap>().reconcile(create_once);
    let first = Candidate::reconciling(&cluster, "first", complete);
    sleep(seconds(5)).await;
    let second = Candidate::reconciling(&cluster, "second", complete);
    sleep(seconds(90)).await;
    let stopped = Instant::now();
    first.stop().await.unwrap();
    cluster.server.clear_journal();
    sleep(seconds(10)).await;
    // Up to 4.4 s until the lease is read again.
    let begun = second.written()[0] - stopped;
    assert!(begun < seconds(6), "{begun:?}");
    let journal = cluster.server.journal();
    let count = |requests: Requests| journal.iter().filter(|entry| requests.matches(entry.request())).count();
    assert_eq!((count(Requests::list().of::<ConfigMap>()), count(Requests::list().of::<Fleet>())), (1, 1));
    assert_eq!(count(Requests::watch().of::<ConfigMap>()), 2, "a short one, and the next one");
    second.stop().await.unwrap();
}

/// On the clock of the system: tokio's does not advance while a thread is kept.
#[tokio::test]
async fn a_function_that_keeps_the_thread_is_reported_and_costs_the_lease() {
    let (collector, _guard) = Collector::install();
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let election = LeaderElection::new("fleets").durations(seconds(3), seconds(2), Duration::from_millis(100));
    let candidate = Candidate::electing(&cluster, election, |builder| {
        builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| {
            std::thread::sleep(Duration::from_millis(2500));
            reconcile(fleet, cx).await
        })
    });
    while candidate.log.refused.lock().unwrap().is_empty() {
        sleep(Duration::from_millis(10)).await;
    }
    assert!(candidate.log.written.lock().unwrap().is_empty());
    while collector.events("the renewal of a lease begins late").is_empty() {
        sleep(Duration::from_millis(10)).await;
    }
}
