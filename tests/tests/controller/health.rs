//! Health and readiness.

use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Manager, ManagerHandle, ServeOptions},
};
use crdkit_api_server::Requests;
use tokio::{sync::oneshot, time::sleep};

use crate::cluster::{Cluster, Fleet, settle};

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

fn failure(handle: &ManagerHandle, check: &str) -> Option<String> {
    handle.healthz().check(check).unwrap().failure.clone()
}

#[tokio::test(start_paused = true)]
async fn a_lost_watch_is_unhealthy_after_a_time() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let running = cluster.start(
        Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done)),
    );
    sleep(minutes(60)).await;
    assert_eq!(running.handle.healthz().to_string(), "ok");

    let faults = cluster.server.faults();
    faults.on(Requests::watch().of::<Fleet>()).fail(403);
    faults.on(Requests::list().of::<Fleet>()).fail(403);
    cluster.server.watches(Requests::watch()).end();
    sleep(minutes(10)).await;
    assert_eq!(running.handle.healthz().to_string(), "ok");
    sleep(minutes(10)).await;
    let lost = failure(&running.handle, "watches").unwrap();
    assert!(lost.starts_with("the data of `fleets.sea.example.com` is ") && lost.contains("old: "), "{lost}");
    assert_eq!(failure(&running.handle, "reconciles"), None);
    // The cache is complete, although it is old.
    assert!(running.handle.readyz().is_healthy());

    faults.clear();
    sleep(minutes(10)).await;
    assert_eq!(running.handle.healthz().to_string(), "ok");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stuck_reconciliation_is_unhealthy() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let reconcile = async |_: Arc<Fleet>, _: Context<Fleet>| pending::<Result<Action, Infallible>>().await;
    let controller = Controller::of::<Fleet>().drain_timeout(Duration::ZERO).reconcile(reconcile);
    let manager = Manager::new(cluster.operator())
        .add(controller)
        .serve(ServeOptions::new().health_address("0").metrics_address("0").max_reconcile_time(minutes(5)));
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    sleep(minutes(4)).await;
    assert_eq!(failure(&handle, "reconciles"), None);
    sleep(minutes(2)).await;
    let stuck = failure(&handle, "reconciles").unwrap();
    assert!(stuck.starts_with("`fleet` has been reconciling default/north for 3"), "{stuck}");
    running.abort();
}

/// A limit of the controller replaces a shorter one of the check.
#[tokio::test(start_paused = true)]
async fn a_reconciliation_may_use_its_time() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let reconcile = async |_: Arc<Fleet>, _: Context<Fleet>| pending::<Result<Action, Infallible>>().await;
    let running = cluster.start(Controller::of::<Fleet>().timeout(minutes(120)).reconcile(reconcile));
    sleep(minutes(119)).await;
    assert_eq!(failure(&running.handle, "reconciles"), None);
}

#[tokio::test(start_paused = true)]
async fn a_manager_is_ready_between_the_initial_lists_and_the_shutdown() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.server.faults().on(Requests::list()).times(2).fail(503);
    cluster.server.faults().on(Requests::watch()).times(2).fail(503);
    let controller = Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| {
        sleep(Duration::from_secs(10)).await;
        Ok::<_, Infallible>(Action::Done)
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(cluster.operator()).add(controller).until(stopped);
    let handle = manager.handle();
    let not_ready = || handle.readyz().to_string();
    assert_eq!(not_ready(), "manager: it does not run yet");
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_millis(1)).await;
    assert!(
        not_ready().starts_with("informers: the data of `fleets.sea.example.com` is not listed yet"),
        "{}",
        not_ready()
    );
    settle().await;
    assert_eq!(not_ready(), "ok");
    stop.send(()).unwrap();
    sleep(Duration::from_millis(1)).await;
    assert_eq!((not_ready().as_str(), handle.healthz().is_healthy()), ("manager: it shuts down", true));
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_ready() {
    let cluster = Cluster::new();
    let start = |name: &str| {
        let controller = Controller::of::<Fleet>()
            .name(name)
            .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done));
        let manager = Manager::new(cluster.operator()).leader_election("fleets").add(controller).until(pending::<()>());
        let handle = manager.handle();
        tokio::spawn(manager.run());
        handle
    };
    let leader = start("first");
    settle().await;
    let standby = start("second");
    settle().await;
    assert_eq!((leader.is_leader(), standby.is_leader()), (true, false));
    assert_eq!((leader.readyz().to_string(), standby.readyz().to_string()), ("ok".into(), "ok".into()));
}

/// A probe that arrives while the manager starts its informers must not be answered as if there were none.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_probe_succeeds_while_informers_start() {
    let silent = tower::service_fn(|_: http::Request<kube::client::Body>| {
        pending::<Result<http::Response<kube::client::Body>, Infallible>>()
    });
    let client = Client::from(kube::Client::new(silent, "default"));
    let reconcile = async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done);
    for _ in 0..2000 {
        let manager = Manager::new(client.clone())
            .without_preflight()
            .until(pending::<()>())
            .add(Controller::of::<Fleet>().reconcile(reconcile));
        let handle = manager.handle();
        let running = tokio::spawn(manager.run());
        loop {
            let report = handle.readyz();
            assert!(!report.is_healthy());
            if report.check("manager").unwrap().failure.is_none() {
                break;
            }
        }
        running.abort();
    }
}
